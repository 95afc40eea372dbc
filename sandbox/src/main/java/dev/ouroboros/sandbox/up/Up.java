package dev.ouroboros.sandbox.up;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.images.ImagesModule;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.model.procedure.Sequence;
import dev.ouroboros.model.registry.RegistryAccess;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.packages.DebianPackages;
import dev.ouroboros.node.procedure.ProcedureDriver;
import dev.ouroboros.node.procedure.StraightDriver;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.render.Renderer;
import dev.ouroboros.render.manifest.KeeperDaemonSet;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxNode;
import dev.ouroboros.sandbox.SandboxRecord;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.RunningNode;
import dev.ouroboros.sandbox.node.Services;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Makes a sandbox and its cluster, from whatever is there already, in {@link UpSteps}. Each step sees what is there and does the rest, so that
 * an {@code up} that was killed anywhere goes on when it is run again.
 */
public final class Up {
    private static final String KEEPERS =
            "/apis/apps/v1/namespaces/kube-system/daemonsets?fieldSelector=metadata.name%3D" + KeeperDaemonSet.NAME;

    private final Sandbox sandbox;
    private final Services services;
    private final SandboxEtcdRestore etcdRestore;
    private final UpSteps steps;
    private final ProcedureDriver driver;
    private final Disk disk;
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
        this.services = new Services(processes, disk, time);
        this.etcdRestore = new SandboxEtcdRestore(processes, disk, time);
        this.steps =
                new UpSteps(sandbox, packages, images, renderer, services, etcdRestore, processes, disk, time, events);
        this.driver = new StraightDriver(time);
        this.disk = disk;
        this.events = events;
    }

    /**
     * @throws ProblemException with what is wrong; what was made stays, and the next run goes on from there. What is wrong with the
     *     options themselves is found before anything is made
     */
    public UpResult run(UpOptions options) {
        return sandbox.exclusively(() -> {
            requireSameVersion(options);
            boolean booted = bootIfOff(options);
            if (isUp()) {
                RunningNode node = sandbox.node().orElseThrow();
                options.snapshot().ifPresent(_ -> sayThatItIsNotRead(node));
                options.cpuLimit().ifPresent(steps::limit);
                changeRegistryAccess(steps.registryAccess(options));
                if (steps.lacksNodes(options)) {
                    run(steps.ofNodes(options));
                    return booted ? UpResult.BOOTED : UpResult.MADE;
                }
                return booted ? UpResult.BOOTED : UpResult.WAS_UP;
            }
            options.snapshot().ifPresent(_ -> requireNoCluster());
            run(steps.of(options));
            return options.start() ? UpResult.MADE : UpResult.NODE_ONLY;
        });
    }

    /**
     * A sandbox whose machine was restarted, or whose nodes were turned off, is not started once more: its keepers bring its cluster back.
     *
     * @return whether they did
     */
    private boolean bootIfOff(UpOptions options) {
        boolean off = sandbox.nodes().stream().anyMatch(node -> node.running().isEmpty());
        if (!isComplete() || !off || options.snapshot().isPresent()) {
            return false;
        }
        boolean firstWasOff = sandbox.node().isEmpty();
        steps.boot();
        return !firstWasOff || !asksForKeeper() || steps.awaitKeepers(this::answers, options.timeout());
    }

    private boolean asksForKeeper() {
        Path manifest = sandbox.node().orElseThrow().file(NodeLayout.ASSETS).resolve(AssetLayout.KEEPER);
        return disk.status(manifest).isPresent();
    }

    private boolean isComplete() {
        return sandbox.record().map(SandboxRecord::complete).orElse(false);
    }

    private boolean answers() {
        try (ClusterClient client = client()) {
            return new ClusterReader(client).get("/version").is(_ -> true);
        }
    }

    /** The first node's, whatever others answer: it is what is made here. */
    private ClusterClient client() {
        return ClusterClient.connect(KubeconfigFile.read(sandbox.paths().kubeconfig(), Optional.empty()));
    }

    private void run(Sequence<UpState> sequence) {
        driver.run(sequence, Journal.none(), Sequence.begin(UpState.begin()));
    }

    private void changeRegistryAccess(RegistryAccess access) {
        boolean changed = false;
        for (SandboxNode each : sandbox.nodes()) {
            Optional<RunningNode> running = each.running();
            changed |= running.isPresent() && services.changeRegistryAccess(running.get(), access);
        }
        if (changed) {
            say("containerd pulls images in the way that was asked for from now on");
        }
    }

    /**
     * One more node for a cluster that is up; one that was begun, and did not join, goes on.
     *
     * @param name empty for the next number
     * @param controlPlaneLimit for a control-plane node, how long its API server may take to serve; empty for a worker
     * @throws ProblemException COMPONENT_FAILED when it does not get ready, or does not serve; NOT_FOUND when the sandbox is not up, BAD_USAGE when it has such a
     *     node
     */
    public SandboxNode add(Optional<String> name, Optional<Duration> controlPlaneLimit) {
        return sandbox.exclusively(() -> {
            if (!isUp()) {
                throw ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        "sandbox " + sandbox.name(),
                        "is not up: a node joins a cluster that runs",
                        "",
                        "ouro up --name " + sandbox.name());
            }
            SandboxNode added = name.flatMap(sandbox::find)
                    .filter(begun -> !steps.isReady(begun) || (controlPlaneLimit.isPresent() && !steps.serves(begun)))
                    .orElseGet(() -> sandbox.add(name.orElseGet(sandbox::nextName)));
            run(steps.ofNode(added, controlPlaneLimit));
            return added;
        });
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
        if (!isComplete() || sandbox.node().isEmpty()) {
            return false;
        }
        try (ClusterClient client = client()) {
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
        return asksForKeeper()
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
        if (isComplete()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--snapshot",
                    "sandbox " + sandbox.name() + " has a cluster already",
                    "a name that is free",
                    "take it down first (ouro down --name " + sandbox.name() + ")");
        }
    }

    private void say(String line) {
        events.accept(new UpEvent.Said(line));
    }
}
