package dev.ouroboros.host;

import dev.ouroboros.host.Preparation.Planned;
import dev.ouroboros.host.decide.HostFile;
import dev.ouroboros.host.decide.HostFiles;
import dev.ouroboros.host.decide.HostPlan.Step;
import dev.ouroboros.host.decide.HostRecord;
import dev.ouroboros.host.decide.HostSettings;
import dev.ouroboros.images.containerd.ContainerdVersion;
import dev.ouroboros.images.oci.ImageLoader;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.Sequence;
import dev.ouroboros.model.registry.RegistryAccess;
import dev.ouroboros.node.kubelet.EtcdPodStart;
import dev.ouroboros.node.kubelet.PodLogs;
import dev.ouroboros.node.packages.DebianPackages;
import dev.ouroboros.node.procedure.ProcedureDriver;
import dev.ouroboros.node.procedure.StraightDriver;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.render.manifest.CniSettings;
import dev.ouroboros.render.manifest.ContainerdSettings;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Does to a host what was planned, step by step; what a step makes ours is in the host's record before the next one begins.
 *
 * <ol>
 *   <li>Install missing packages; nothing of them is started.
 *   <li>Write down what will be ours, then write it.
 *   <li>Load the kernel's modules, set its variables.
 *   <li>Start containerd with our configuration, load the images.
 *   <li>Start the kubelet, and wait for etcd where the node has a member.
 * </ol>
 *
 * <p>Each step does only what is not done, so that one that was killed goes on when it is run again. On the disk of another machine
 * only the second one is done, and services are enabled.
 */
public final class HostChanges {
    static final String CONTAINERD = "containerd.service";
    static final String KUBELET = "kubelet.service";
    static final String GUARD = "ouroboros-kubelet-guard.service";
    static final String GUARD_PATH = "ouroboros-kubelet-guard.path";
    private static final Set<String> OF_CONTAINERD =
            Set.of(HostFiles.CONTAINERD_CONFIG, HostFiles.CONTAINERD_UNIT, HostFiles.CONTAINERD_PROXY);
    private static final String POD_LOGS = "/var/log/pods";
    /** In the order in which they are started. */
    private static final List<String> SERVICES = List.of(CONTAINERD, KUBELET, GUARD_PATH);

    private final HostTree tree;
    private final Processes processes;
    private final DebianPackages packages;
    private final Systemd systemd;
    private final Waiting waiting;
    private final Consumer<String> progress;
    private final ProcedureDriver driver;
    private final Duration limit;

    /** @param limit how long one step may take */
    public HostChanges(
            HostTree tree,
            Processes processes,
            DebianPackages packages,
            InstantSource time,
            Duration limit,
            Consumer<String> progress) {
        this(tree, processes, packages, time, limit, progress, new StraightDriver(time));
    }

    HostChanges(
            HostTree tree,
            Processes processes,
            DebianPackages packages,
            InstantSource time,
            Duration limit,
            Consumer<String> progress,
            ProcedureDriver driver) {
        this.tree = tree;
        this.processes = processes;
        this.packages = packages;
        this.systemd = new Systemd(processes, limit);
        this.limit = limit;
        this.waiting = new Waiting(time);
        this.progress = progress;
        this.driver = driver;
    }

    public void apply(Planned planned, Software software) {
        List<UnaryOperator<HostRecord>> steps = new ArrayList<>(List.of(
                record -> packages(planned, record),
                record -> claim(planned, record),
                record -> writeFiles(planned, record)));
        steps.addAll(tree.isThisMachine() ? onThisMachine(planned, software) : onADisk());
        HostRecord known = tree.record();
        for (String directory : tree.missingDirectories(HostRecord.FILE)) {
            known = known.withDirectory(directory);
        }
        driver.run(new Sequence<>(steps), this::save, Sequence.begin(known));
    }

    private void save(Sequence.Position<HostRecord> position) {
        if (!position.known().equals(tree.record())) {
            tree.save(position.known());
        }
    }

    private List<UnaryOperator<HostRecord>> onThisMachine(Planned planned, Software software) {
        return List.of(
                this::claimKernel,
                unrecorded(() -> processes
                        .run(Command.of("/lib/systemd/systemd-sysctl", HostFiles.SYSCTLS))
                        .orThrow()),
                unrecorded(systemd::reload),
                record -> claimServices(record, systemd::isEnabled),
                unrecorded(() -> SERVICES.stream()
                        .filter(unit -> !systemd.isEnabled(unit))
                        .forEach(systemd::enable)),
                record -> start(CONTAINERD, record),
                unrecorded(() -> load(software)),
                record -> start(KUBELET, record),
                record -> start(GUARD_PATH, record),
                unrecorded(() -> {
                    if (hasEtcd(planned)) {
                        awaitEtcd(planned.settings().nodeName());
                    }
                }));
    }

    /** Whether the node gets a member of etcd: a control-plane node whose member has left etcd gets none. */
    private static boolean hasEtcd(Planned planned) {
        return planned.files().stream().anyMatch(file -> file.path().equals(HostFiles.ETCD_MANIFEST));
    }

    private List<UnaryOperator<HostRecord>> onADisk() {
        return List.of(
                record -> claimServices(record, this::isEnabledOnDisk),
                unrecorded(() -> SERVICES.stream()
                        .filter(unit -> !isEnabledOnDisk(unit))
                        .forEach(unit -> systemctl("enable", unit).orThrow())));
    }

    /** A step that adds nothing to the host's record. */
    private static UnaryOperator<HostRecord> unrecorded(Runnable work) {
        return record -> {
            work.run();
            return record;
        };
    }

    private HostRecord packages(Planned planned, HostRecord record) {
        if (planned.missingPackages().isEmpty()) {
            return record;
        }
        // Recorded before they are installed: a run that goes on after a kill would find them there, and take them for
        // somebody else's.
        HostRecord with = record.withPackages(planned.missingPackages());
        tree.save(with);
        packages.ensure(planned.missingPackages(), true, progress::accept);
        // Until its package lists were fetched apt may not have known which containerd it would install.
        new ContainerdVersion(processes).requireFitting(planned.settings().version());
        return with;
    }

    private HostRecord claim(Planned planned, HostRecord before) {
        HostSettings settings = planned.settings();
        HostRecord record = before.writing(digestsToWrite(planned))
                .withNode(new HostRecord.Node(settings.nodeName(), settings.nodeAddress(), settings.cgroupDriver()));
        for (String path : planned.plan().paths(Step.WRITE)) {
            for (String directory : tree.missingDirectories(path)) {
                record = record.withDirectory(directory);
            }
        }
        for (Step step : List.of(Step.WRITE, Step.REMOVE)) {
            for (String path : planned.plan().paths(step)) {
                // containerd reads its list of mirrors at each pull.
                record = isOfMirrors(path) ? record : record.withRestart(serviceOf(path));
            }
        }
        return record;
    }

    private static Map<String, String> digestsToWrite(Planned planned) {
        Map<String, String> digests = new TreeMap<>(planned.digests());
        digests.keySet().retainAll(planned.plan().paths(Step.WRITE));
        return digests;
    }

    private HostRecord writeFiles(Planned planned, HostRecord before) {
        Map<String, String> toWrite = digestsToWrite(planned);
        if (toWrite.containsKey(CniSettings.TEMPLATE)
                || planned.plan().paths(Step.REMOVE).contains(CniSettings.TEMPLATE)) {
            // The template changes or goes, and containerd would go on with the configuration that it made of the
            // former one. Deleted before the
            // template is written: by the template a run that goes on after a kill sees what is left to do.
            tree.disk().delete(tree.at(CniSettings.GENERATED));
        }
        for (HostFile file : planned.files()) {
            if (toWrite.containsKey(file.path())) {
                boolean secret = file.permissions().equals(HostFile.SECRET);
                tree.missingDirectories(file.path())
                        .forEach(directory -> tree.createDirectory(directory, secret && isLast(directory, file)));
                tree.write(file);
                progress.accept("wrote " + tree.at(file.path()));
            }
        }
        HostRecord record = before;
        for (String path : planned.plan().paths(Step.REMOVE)) {
            tree.disk().delete(tree.at(path));
            record = record.withoutFile(path);
            progress.accept("removed " + tree.at(path));
        }
        return record.written(toWrite);
    }

    private static boolean isOfMirrors(String path) {
        return path.startsWith(RegistryAccess.DIRECTORY + "/");
    }

    /** The service that reads a file. For a file that no service reads it is the kubelet, as pods outlive its restart. */
    private static String serviceOf(String path) {
        return OF_CONTAINERD.contains(path) ? CONTAINERD : KUBELET;
    }

    private static boolean isLast(String directory, HostFile file) {
        Path parent = Path.of(file.path()).getParent();
        return parent != null
                && parent.toString().equals(directory)
                && (directory.equals(HostFiles.MANIFESTS) || directory.equals(EtcdStaticPod.DEFAULT_TLS_DIRECTORY));
    }

    /**
     * Loads the modules, and records the values that kernel variables have before ours. A kernel that has the modules built in knows none of these
     * names.
     */
    private HostRecord claimKernel(HostRecord record) {
        for (String module : HostFiles.KERNEL_MODULES) {
            if (!processes.run(Command.of("modprobe", module)).succeeded() && !hasBuiltIn(module)) {
                throw ProblemException.of(
                        ErrorCode.MISSING_TOOL, "the kernel", "has no " + module, "", "use a kernel as Debian's");
            }
        }
        HostRecord with = record;
        List<String> names = new ArrayList<>(HostFiles.SYSCTL_VALUES.keySet());
        names.addAll(HostFiles.KUBELET_SYSCTL_VALUES.keySet());
        for (String name : names) {
            Optional<String> value = tree.disk().readText(tree.at("/proc/sys/" + name));
            if (value.isPresent()) {
                with = with.withSysctl(name, value.get().strip());
            }
        }
        return with;
    }

    private boolean hasBuiltIn(String module) {
        return module.equals("overlay")
                ? tree.disk().readText(tree.at("/proc/filesystems")).stream()
                        .flatMap(String::lines)
                        .anyMatch(line -> line.endsWith("\toverlay"))
                : tree.disk().status(tree.at("/proc/sys/net/bridge")).isPresent();
    }

    private static HostRecord claimServices(HostRecord before, Predicate<String> isEnabled) {
        HostRecord record = before;
        for (String unit : SERVICES) {
            record = isEnabled.test(unit) ? record : record.withEnabled(unit);
        }
        return record;
    }

    private void load(Software software) {
        new ImageLoader(
                        processes,
                        List.of(),
                        Path.of(ContainerdSettings.SOCKET),
                        Optional.of(Path.of(ContainerdSettings.STORE)))
                .load(software.images(), progress::accept);
    }

    /** Starts a service that is not active, or whose files were written since it started, by this run or by an earlier one that was killed. */
    private HostRecord start(String unit, HostRecord record) {
        if (!record.restarts().contains(unit) && systemd.isActive(unit)) {
            return record;
        }
        progress.accept("starting " + unit);
        systemd.restart(unit);
        return record.restarted(unit);
    }

    private boolean isEnabledOnDisk(String unit) {
        return systemctl("is-enabled", unit).succeeded();
    }

    private Result systemctl(String verb, String unit) {
        return processes.run(Command.of("systemctl", "--root=" + tree.root(), verb, "--quiet", unit));
    }

    private void awaitEtcd(String nodeName) {
        progress.accept("waiting for etcd");
        try (HttpClient client =
                HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build()) {
            new EtcdPodStart(waiting, new PodLogs(tree.disk(), tree.at(POD_LOGS)), limit)
                    .await(
                            nodeName,
                            () -> isHealthy(client),
                            "see journalctl -u kubelet, then run this again, with a longer --timeout if this machine is slow");
        }
    }

    private static boolean isHealthy(HttpClient client) {
        HttpRequest ask = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + EtcdStaticPod.METRICS_PORT + EtcdStaticPod.HEALTH))
                .timeout(Duration.ofSeconds(5))
                .build();
        try {
            return client.send(ask, HttpResponse.BodyHandlers.ofString()).body().contains("\"health\":\"true\"");
        } catch (IOException e) {
            // Not there yet: whoever waits asks again until its limit.
            return false;
        } catch (InterruptedException e) {
            // Whoever waits sees it.
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
