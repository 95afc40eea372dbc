package dev.ouroboros.sandbox.up;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.core.asset.AssetLayout;
import dev.ouroboros.core.cluster.ClusterSpec;
import dev.ouroboros.core.manifest.CniSettings;
import dev.ouroboros.core.manifest.ContainerdSettings;
import dev.ouroboros.core.manifest.EtcdStaticPod;
import dev.ouroboros.core.manifest.KeeperDaemonSet;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.core.registry.RegistryAccess;
import dev.ouroboros.core.registry.RegistryMirror;
import dev.ouroboros.core.version.KubernetesVersion;
import dev.ouroboros.core.version.VersionFacts;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.images.ImagesModule;
import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.images.oci.BuiltImage;
import dev.ouroboros.images.oci.ContainerImage;
import dev.ouroboros.images.oci.ImageLoader;
import dev.ouroboros.node.containerd.ContainerdVersion;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.packages.DebianPackages;
import dev.ouroboros.node.packages.PackageListener;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.recovery.RecoveredCluster;
import dev.ouroboros.render.RenderRequest;
import dev.ouroboros.render.Renderer;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxRecord;
import dev.ouroboros.sandbox.node.NodeFiles;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.RunningNode;
import dev.ouroboros.sandbox.node.Services;
import dev.ouroboros.sandbox.node.Subnet;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Makes a sandbox and its cluster, from whatever is there already.
 *
 * <ol>
 *   <li>Read the snapshot, if there is one, to its end.
 *   <li>Check what the machine must have, and install missing packages.
 *   <li>Get binaries and build images of them; both are cached.
 *   <li>Make and start the node, and containerd in it.
 *   <li>Render the cluster's assets.
 *   <li>Start the kubelet. It takes seconds until it looks for pods: meanwhile the images are loaded, etcd's first.
 *   <li>Give the kubelet etcd as a static pod, and wait until that is healthy.
 *   <li>Run {@code ouro start} in the node: the pivot.
 * </ol>
 *
 * <p>Each step sees what is there and does the rest, so that an {@code up} that was killed anywhere goes on when it is run again.
 */
public final class Up {
    private static final String OWNER_AND_OTHERS_READ = "rw-r--r--";
    /** What etcd needs to start. */
    private static final Set<BuiltImage> FIRST = EnumSet.of(BuiltImage.PAUSE, BuiltImage.ETCD);

    private static final String KEEPERS =
            "/apis/apps/v1/namespaces/kube-system/daemonsets?fieldSelector=metadata.name%3D" + KeeperDaemonSet.NAME;

    private final Sandbox sandbox;
    private final Requirements requirements;
    private final DebianPackages packages;
    private final ImagesModule images;
    private final Renderer renderer;
    private final Services services;
    private final EtcdHealth etcdHealth;
    private final SandboxEtcdRestore etcdRestore;
    private final Processes processes;
    private final Disk disk;
    private final InstantSource time;
    private final Consumer<UpEvent> events;

    public Up(
            Sandbox sandbox,
            DebianPackages packages,
            ImagesModule images,
            Renderer renderer,
            Processes processes,
            Disk disk,
            InstantSource time,
            Consumer<UpEvent> events) {
        this.sandbox = sandbox;
        this.requirements = new Requirements(processes, disk);
        this.packages = packages;
        this.images = images;
        this.renderer = renderer;
        this.services = new Services(processes, disk, time);
        this.etcdHealth = new EtcdHealth(processes, disk, time);
        this.etcdRestore = new SandboxEtcdRestore(processes, disk, time);
        this.processes = processes;
        this.disk = disk;
        this.time = time;
        this.events = events;
    }

    /**
     * @throws ProblemException with what is wrong; what was made stays, and the next run goes on from there. What is wrong with the
     *     options themselves is found before anything is made
     */
    public UpResult run(UpOptions options) {
        return sandbox.exclusively(() -> {
            requireSameVersion(options);
            if (isUp()) {
                RunningNode node = sandbox.node().orElseThrow();
                options.snapshot().ifPresent(_ -> sayThatItIsNotRead(node));
                options.cpuLimit().ifPresent(this::limit);
                if (services.changeRegistryAccess(node, registryAccess(options))) {
                    say("containerd pulls images in the way that was asked for from now on");
                }
                return UpResult.WAS_UP;
            }
            options.snapshot().ifPresent(_ -> requireNoCluster());
            make(options);
            return options.start() ? UpResult.MADE : UpResult.NODE_ONLY;
        });
    }

    private void make(UpOptions options) {
        Optional<CheckedSnapshot> snapshot =
                options.snapshot().map(file -> step("reading the snapshot", () -> check(file)));
        Optional<RecoveredCluster> recovered = snapshot.map(CheckedSnapshot::cluster);
        step("checking this machine", () -> {
            packages.ensure(Requirements.PACKAGES, options.installAllowed(), new PackageLines());
            if (sandbox.node().isEmpty()) {
                requirements.check(sandbox.paths().directory());
            }
            snapshot.ifPresent(checked -> sandbox.requireNetwork(checked.subnet()));
            return null;
        });
        Binaries binaries =
                step("getting binaries", () -> binaries(options, recovered.flatMap(RecoveredCluster::version)));
        KubernetesVersion.parse(binaries.kubernetesVersion())
                .ifPresent(new ContainerdVersion(processes)::requireFitting);
        List<ContainerImage> built =
                step("building images", () -> images.builder().build(binaries, this::say));
        snapshot.ifPresent(checked -> checked.requireImages(
                built.stream().map(ContainerImage::reference).toList()));
        RunningNode node =
                step("starting the node", () -> startNode(built, options, snapshot.map(CheckedSnapshot::subnet)));
        sandbox.remember(record -> record.withKubernetesVersion(binaries.kubernetesVersion()));
        NodeFiles files = new NodeFiles(disk, node);
        RecoveredAssets assets = new RecoveredAssets(disk, sandbox.name(), node);
        recovered.ifPresent(cluster -> step("writing the recovered cluster", () -> assets.write(cluster)));
        ClusterFacts cluster = ClusterFacts.of(assets.directory())
                .orElseGet(() -> step("rendering the cluster", () -> render(node, binaries, built)));
        files.exportKubeconfig(sandbox.paths().kubeconfig());
        if (options.snapshot().isEmpty()) {
            assets.requireRestored(etcdRestore);
        }
        step("starting the kubelet", () -> startKubelet(node, files, cluster, binaries, built));
        step("loading images and starting etcd", () -> startEtcd(node, files, built, snapshot));
        if (options.start()) {
            step("starting the cluster", () -> startCluster(node, options));
            sandbox.remember(SandboxRecord::completed);
        }
    }

    /** A sandbox keeps its version: another one is an upgrade, not an up. */
    private void requireSameVersion(UpOptions options) {
        Optional<String> known = sandbox.record().flatMap(SandboxRecord::kubernetesVersion);
        Optional<String> asked =
                options.kubernetesVersion().map(version -> version.startsWith("v") ? version.substring(1) : version);
        if (known.isPresent() && asked.isPresent() && !known.equals(asked)) {
            throw ProblemException.of(
                    ErrorCode.UNSUPPORTED_VERSION,
                    "--kubernetes-version",
                    "sandbox " + sandbox.name() + " has Kubernetes " + known.get() + ", not " + asked.get(),
                    known.get(),
                    "take it down first (ouro down --name " + sandbox.name() + "), or choose another --name");
        }
    }

    private boolean isUp() {
        boolean complete = sandbox.record().map(SandboxRecord::complete).orElse(false)
                && sandbox.node().isPresent();
        if (!complete) {
            return false;
        }
        try (ClusterClient client =
                ClusterClient.connect(KubeconfigFile.read(sandbox.paths().kubeconfig(), Optional.empty()))) {
            say("the API server answers: " + client.serverVersion());
            if (lacksKeeper(client)) {
                say("the keeper that the cluster's manifests ask for was removed: going on with it");
                return false;
            }
            return true;
        } catch (ProblemException e) {
            say("the node runs, but the API does not answer (" + e.getMessage() + "): going on with what is missing");
            return false;
        }
    }

    /** Whether the keeper was removed ({@code change remove-keeper}, kubectl): nobody but {@code up} puts it back. */
    private boolean lacksKeeper(ClusterClient client) {
        Path manifest = sandbox.node().orElseThrow().file(NodeLayout.ASSETS).resolve(AssetLayout.KEEPER);
        return disk.status(manifest).isPresent()
                && new ClusterReader(client)
                        .get(KEEPERS)
                        .is(list -> list.at("items").items().isEmpty());
    }

    /** The command that brought the cluster back may be run again and then reads nothing; no other cluster is replaced. */
    private void sayThatItIsNotRead(RunningNode node) {
        etcdRestore
                .restored(node)
                .ifPresentOrElse(
                        moment -> events.accept(new UpEvent.Warned("the cluster was brought back from a snapshot at "
                                + moment + ": this one is not read")),
                        this::requireNoCluster);
    }

    private void requireNoCluster() {
        if (sandbox.record().map(SandboxRecord::complete).orElse(false)) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--snapshot",
                    "sandbox " + sandbox.name() + " has a cluster already",
                    "a name that is free",
                    "take it down first (ouro down --name " + sandbox.name() + ")");
        }
    }

    private CheckedSnapshot check(SnapshotFile snapshot) {
        CheckedSnapshot checked = snapshot.check(sandbox.name(), time);
        checked.cluster().notes().forEach(note -> events.accept(new UpEvent.Warned(note)));
        return checked;
    }

    private Binaries binaries(UpOptions options, Optional<String> recovered) {
        Optional<String> version = options.kubernetesVersion()
                .or(() -> recovered)
                .or(() -> sandbox.record().flatMap(SandboxRecord::kubernetesVersion));
        Binaries binaries = images.binaries()
                .resolve(new BinaryRequest(options.source(), version, options.installAllowed(), this::say));
        binaries.warnings().forEach(warning -> events.accept(new UpEvent.Warned(warning)));
        say("Kubernetes " + binaries.kubernetesVersion() + ", etcd " + binaries.etcdVersion() + " (" + binaries.origin()
                + ")");
        return binaries;
    }

    private void limit(CpuLimit limit) {
        sandbox.limitCpu(limit.milliCpus());
        say("the sandbox has " + limit.describe() + " from now on");
    }

    private RunningNode startNode(List<ContainerImage> built, UpOptions options, Optional<Subnet> wanted) {
        RunningNode node = sandbox.ensureNode(wanted);
        options.cpuLimit().ifPresent(this::limit);
        services.startContainerd(
                node,
                new ContainerdSettings(image(built, BuiltImage.PAUSE), false, services.mayLowerOomScore()),
                new CniSettings(SandboxCluster.FIRST_NODE_POD_CIDR),
                registryAccess(options));
        return node;
    }

    /** The cluster's own addresses are never asked through the proxy, nor is the host's side of the sandbox's network. */
    private RegistryAccess registryAccess(UpOptions options) {
        RegistryAccess asked = options.registryAccess();
        asked.mirrors().stream()
                .filter(RegistryMirror::isOnLoopback)
                .forEach(mirror -> events.accept(new UpEvent.Warned("mirror " + mirror.server()
                        + " is on loopback, which is the node's own in the node: this machine is "
                        + record().subnet().hostAddress() + " there")));
        List<String> own = List.of(
                SandboxCluster.POD_CIDR,
                SandboxCluster.SERVICE_CIDR,
                record().subnet().network().toString(),
                sandbox.name().node(),
                ".svc",
                "." + ClusterSpec.CLUSTER_DOMAIN);
        return new RegistryAccess(
                asked.mirrors(),
                asked.authority(),
                asked.proxy().isEmpty() ? asked.proxy() : asked.proxy().asksDirectly(own));
    }

    /** The document is written once: a person may change it, and run up again. The assets are the node's, on its own disk. */
    private ClusterFacts render(RunningNode node, Binaries binaries, List<ContainerImage> built) {
        Path document = sandbox.paths().clusterDocument();
        if (disk.readText(document).isEmpty()) {
            String text = new SandboxCluster(sandbox.name(), record().subnet(), binaries.kubernetesVersion(), built)
                    .document();
            disk.write(document, text.getBytes(StandardCharsets.UTF_8), OWNER_AND_OTHERS_READ);
        }
        return ClusterFacts.of(renderer.render(RenderRequest.ofFile(document, node.file(NodeLayout.ASSETS)))
                .cluster());
    }

    private RunningNode startKubelet(
            RunningNode node, NodeFiles files, ClusterFacts cluster, Binaries binaries, List<ContainerImage> built) {
        files.installPrograms(Stream.of(Binary.KUBELET, Binary.KUBECTL, Binary.ETCDCTL, Binary.ETCDUTL)
                .flatMap(binary -> binaries.find(binary).stream())
                .toList());
        files.installShell();
        VersionFacts facts = VersionFacts.of(cluster.version());
        var settings = NodeSettings.kubelet(
                cluster,
                sandbox.name().node(),
                record().subnet().nodeAddress(),
                sandbox.cgroupRoot(),
                image(built, BuiltImage.PAUSE));
        files.installKubelet(settings, facts);
        List<String> command = new ArrayList<>(settings.commandLine(facts, NodeLayout.KUBELET_CONFIG.toString()));
        command.set(0, NodeLayout.BINARIES.resolve(Binary.KUBELET.fileName()).toString());
        services.startKubelet(node, command);
        return node;
    }

    private RunningNode startEtcd(
            RunningNode node, NodeFiles files, List<ContainerImage> built, Optional<CheckedSnapshot> snapshot) {
        EtcdStaticPod etcd = EtcdStaticPod.of(
                sandbox.name().node(),
                image(built, BuiltImage.ETCD),
                record().subnet().nodeAddress());
        snapshot.ifPresent(checked -> etcdRestore.ensure(node, checked, etcd));
        // A socket is reached through the root directory of process 1 too: ctr runs on the host, beside the archives.
        ImageLoader loader = new ImageLoader(
                processes,
                List.of(),
                node.file(NodeLayout.CONTAINERD_SOCKET),
                Optional.of(node.file(NodeLayout.CONTAINERD_STORE)));
        loader.load(
                built.stream()
                        .filter(image -> FIRST.contains(image.component()))
                        .toList(),
                this::say);
        files.installEtcd(etcd);
        loader.load(
                built.stream()
                        .filter(image -> !FIRST.contains(image.component()))
                        .toList(),
                this::say);
        etcdHealth.await(node);
        return node;
    }

    private RunningNode startCluster(RunningNode node, UpOptions options) {
        List<String> asked = new ArrayList<>(List.of(
                "--timeout", options.timeout().toSeconds() + "s", "--report", NodeLayout.START_REPORT.toString()));
        etcdRestore.restored(node).ifPresent(moment -> asked.addAll(List.of("--restored-at", moment.toString())));
        new NodeStart(sandbox, processes, options.ouro())
                .run(
                        node,
                        asked,
                        options.startLimit(),
                        this::say,
                        "run 'ouro up' again, which goes on; logs are in "
                                + sandbox.paths().logs());
        return node;
    }

    private SandboxRecord record() {
        return sandbox.record().orElseThrow(() -> new IllegalStateException("a node has a record"));
    }

    private static String image(List<ContainerImage> built, BuiltImage component) {
        return built.stream()
                .filter(image -> image.component() == component)
                .map(ContainerImage::reference)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no image for " + component));
    }

    private <T> T step(String title, Supplier<T> work) {
        events.accept(new UpEvent.StepStarted(title));
        Instant begun = time.instant();
        T result = work.get();
        events.accept(new UpEvent.StepDone(title, Duration.between(begun, time.instant())));
        return result;
    }

    private void say(String line) {
        events.accept(new UpEvent.Said(line));
    }

    /** Tells what apt does. */
    private final class PackageLines implements PackageListener {
        @Override
        public void installing(List<String> missing) {
            say("installing Debian packages: " + String.join(" ", missing));
        }

        @Override
        public void progress(String line) {
            say(line);
        }
    }
}
