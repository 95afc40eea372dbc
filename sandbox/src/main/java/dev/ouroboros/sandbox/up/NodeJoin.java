package dev.ouroboros.sandbox.up;

import dev.ouroboros.cluster.BootstrapTokens;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.NodeObjects;
import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.render.manifest.BootstrapToken;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxApi;
import dev.ouroboros.sandbox.SandboxNode;
import dev.ouroboros.sandbox.node.NodeFiles;
import dev.ouroboros.sandbox.node.RunningNode;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Lets a node of a sandbox that is not its first join the cluster. It is made as the first one is now: with its programs, its images, its
 * mirrors, whatever was upgraded or loaded since that was made. Each step sees what is there and does the rest.
 */
final class NodeJoin {
    private static final Duration READY_LIMIT = Duration.ofMinutes(5);
    private static final Duration TOKEN_LIFE = Duration.ofHours(1);

    private final Sandbox sandbox;
    private final NodeDaemons daemons;
    private final Processes processes;
    private final Disk disk;
    private final InstantSource time;

    NodeJoin(Sandbox sandbox, NodeDaemons daemons, Processes processes, Disk disk, InstantSource time) {
        this.sandbox = sandbox;
        this.daemons = daemons;
        this.processes = processes;
        this.disk = disk;
        this.time = time;
    }

    /**
     * Boots the node, gives it every image, as any node may become one of the control plane, and starts its kubelet.
     *
     * @param first the node that has the asset directory, running
     */
    void start(SandboxNode node, RunningNode first, ClusterFacts cluster, Progress progress) {
        RunningNode running = bootAs(first, node, progress);
        daemons.startKubeletAs(first, node, running, cluster, joining(first, running));
    }

    /**
     * Lets a node run a member of etcd before there is an API that it could join: its kubelet waits for one with the token of the asset
     * directory.
     */
    void startEtcd(SandboxNode node, RunningNode first, ClusterFacts cluster, EtcdStaticPod etcd, Progress progress) {
        RunningNode running = bootAs(first, node, progress);
        new NodeFiles(disk, running).installEtcd(etcd, first);
        daemons.startKubeletAs(first, node, running, cluster, new NodeFiles(disk, first).joining());
    }

    private RunningNode bootAs(RunningNode first, SandboxNode node, Progress progress) {
        RunningNode running = sandbox.boot(node);
        daemons.startContainerdAs(first, running);
        SandboxImages.loader(processes, running).loadFrom(SandboxImages.loader(processes, first), progress);
        return running;
    }

    /** The token of the asset directory ends a day after the cluster began. */
    private NodeFiles.Joining joining(RunningNode first, RunningNode running) {
        NodeFiles.Joining ofAssets = new NodeFiles(disk, first).joining();
        if (new NodeFiles(disk, running).hasJoined()) {
            return ofAssets;
        }
        BootstrapToken token = BootstrapToken.random(new SecureRandom());
        try (ClusterClient client = client()) {
            new BootstrapTokens(client)
                    .create(
                            token.id(),
                            token.secret(),
                            time.instant().plus(TOKEN_LIFE),
                            "A node of a sandbox joins with it.");
        }
        return new NodeFiles.Joining(
                ofAssets.authority(), BootstrapToken.replaced(ofAssets.bootstrapKubeconfig(), token));
    }

    /** Whether the node runs, and the API says that it is ready as it runs now. */
    boolean isReady(SandboxNode node) {
        try (ClusterClient client = client()) {
            return isReady(new NodeObjects(client), node);
        }
    }

    private boolean isReady(NodeObjects nodes, SandboxNode node) {
        return whyNotReady(nodes, node).is(Optional::isEmpty);
    }

    private Evidence<Optional<String>> whyNotReady(NodeObjects nodes, SandboxNode node) {
        return node.running()
                .flatMap(this::bootId)
                .map(bootId -> nodes.whyNotReady(node.name(), bootId))
                .orElse(Evidence.known(Optional.of("it does not run")));
    }

    private Optional<String> bootId(RunningNode running) {
        return disk.readText(running.file(Path.of("/proc/sys/kernel/random/boot_id")))
                .map(String::strip);
    }

    /**
     * Waits until the API says that the node is ready.
     *
     * @throws ProblemException COMPONENT_FAILED when it does not get ready
     */
    void await(SandboxNode node) {
        try (ClusterClient client = client()) {
            NodeObjects nodes = new NodeObjects(client);
            if (!new Waiting(time).until(() -> isReady(nodes, node), READY_LIMIT)) {
                throw ProblemException.of(
                        ErrorCode.COMPONENT_FAILED,
                        "node " + node.name(),
                        "is not ready after " + READY_LIMIT.toSeconds() + " s: "
                                + NodeObjects.describe(whyNotReady(nodes, node)),
                        "",
                        "see " + node.paths().logs().resolve("kubelet.log") + ", then run 'ouro up --name "
                                + sandbox.name() + "', which goes on, or take it away: ouro node remove "
                                + node.name());
            }
        }
    }

    private ClusterClient client() {
        return ClusterClient.connect(SandboxApi.endpoint(sandbox));
    }
}
