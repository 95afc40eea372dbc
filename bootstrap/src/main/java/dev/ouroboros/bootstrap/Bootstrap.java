package dev.ouroboros.bootstrap;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.KubernetesServiceEndpoints;
import dev.ouroboros.cluster.LeaderLeases;
import dev.ouroboros.cluster.ManifestSet;
import dev.ouroboros.cluster.NodeRegistration;
import dev.ouroboros.cluster.WorkloadReference;
import dev.ouroboros.core.pivot.Pivot;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.front.Front;
import dev.ouroboros.node.front.NftFront;
import dev.ouroboros.node.kubelet.PodLogs;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.node.process.Processes;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * {@code ouro start}: from an asset directory to a control plane that hosts itself. Wires the parts of one pivot together; the
 * decisions are {@link Pivot}'s.
 */
public final class Bootstrap {
    private static final Path POD_LOGS = Path.of("/var/log/pods");

    private final Disk disk;
    private final Processes processes;
    private final InstantSource clock;

    public Bootstrap(Disk disk, Processes processes, InstantSource clock) {
        this.disk = disk;
        this.processes = processes;
        this.clock = clock;
    }

    /**
     * Runs a pivot to its end, or goes on with one that was killed.
     *
     * @param listener is told what happens, from several threads, one call at a time
     * @throws ProblemException what is wrong with the input or the node, or why the pivot failed
     */
    public void start(StartOptions options, Consumer<StartEvent> listener) throws InterruptedException {
        AssetDirectory assets = AssetDirectory.read(disk, options.assetDirectory());
        Endpoint api = KubeconfigFile.read(assets.adminKubeconfigFile(), Optional.empty());
        ApiAddress address = ApiAddress.of(api, options, assets);
        ManifestSet all = ManifestSet.parse(assets.manifests());
        ManifestSet manifests = all.withoutKeeper();
        Inputs inputs = new Inputs(assets, api, address, manifests, required(options, manifests));

        disk.createDirectories(options.stateDirectory(), Disk.OWNER_ONLY_DIRECTORY);
        Consumer<StartEvent> oneAtATime = serialized(listener);
        Instant begun = clock.instant();
        try (ClusterClient client = ClusterClient.connect(api)) {
            var handover = new KeeperHandover(
                    client,
                    all.keeper(),
                    new KeeperFiles(
                            options.stateDirectory().resolve("checkpoints"),
                            options.podManifestPath(),
                            all.checkpointed()),
                    options.settings().phaseDeadline(),
                    clock,
                    oneAtATime);
            boolean kept = all.keeper().size() > 0;
            try (ExclusiveLock _ =
                    ExclusiveLock.acquire(options.stateDirectory().resolve("lock"), "ouro start")) {
                pivot(options, inputs, client, oneAtATime);
                if (kept) {
                    handover.begin();
                }
            }
            if (kept) {
                handover.await(begun);
            }
        }
    }

    /** What the asset directory says. */
    private record Inputs(
            AssetDirectory assets,
            Endpoint api,
            ApiAddress address,
            ManifestSet manifests,
            List<WorkloadReference> required) {}

    private void pivot(StartOptions options, Inputs inputs, ClusterClient client, Consumer<StartEvent> listener)
            throws InterruptedException {
        AssetDirectory assets = inputs.assets();
        ApiAddress address = inputs.address();
        ManifestSet manifests = inputs.manifests();
        Signal changed = new Signal();
        Front front = new NftFront(processes, address.front());
        var temporary = new TemporaryControlPlane(disk, options.podManifestPath(), assets);
        var journal = new Journal(disk, options.stateDirectory(), assets.clusterId());
        try (var nodeSources = new NodeSources(
                        changed,
                        temporary,
                        front,
                        new PodLogs(disk, POD_LOGS),
                        options.nodeName(),
                        options.kubeletRestart(),
                        clock);
                var apiSources = new ApiSources(
                        changed,
                        client,
                        manifests,
                        inputs.required(),
                        new NodeRegistration(
                                client, options.nodeName(), manifests.controlPlaneLabels(), assets.nodeCidrs()),
                        new KubernetesServiceEndpoints(
                                client,
                                address.node().getHostAddress(),
                                address.front().principalPort()),
                        new LeaderLeases(client, options.nodeName()));
                var actuator =
                        new Actuator(nodeSources, apiSources, temporary, front, processes, changed, clock, listener)) {
            nodeSources.start(inputs.api());
            new Start(
                            new Pivot(options.settings().withKubeletThatStartsSlowly(assets.kubeletStartsSlowly())),
                            journal,
                            nodeSources,
                            apiSources,
                            actuator,
                            changed,
                            clock,
                            listener)
                    .run();
        }
    }

    private static List<WorkloadReference> required(StartOptions options, ManifestSet manifests) {
        List<WorkloadReference> controlPlane = manifests.controlPlane();
        if (options.requiredPods().isEmpty()) {
            return controlPlane;
        }
        for (String name : options.requiredPods()) {
            if (controlPlane.stream().noneMatch(workload -> workload.path().equals(name))) {
                throw ProblemException.of(
                        ErrorCode.INVALID_FLAG,
                        "--required-pods",
                        name + " is neither a DaemonSet nor a Deployment of the control plane in manifests/",
                        "of "
                                + controlPlane.stream()
                                        .map(WorkloadReference::path)
                                        .toList(),
                        "");
            }
        }
        return controlPlane.stream()
                .filter(workload -> options.requiredPods().contains(workload.path()))
                .toList();
    }

    private static Consumer<StartEvent> serialized(Consumer<StartEvent> listener) {
        Object monitor = new Object();
        return event -> {
            synchronized (monitor) {
                listener.accept(event);
            }
        };
    }
}
