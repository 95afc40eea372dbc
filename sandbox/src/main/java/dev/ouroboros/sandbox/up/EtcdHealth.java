package dev.ouroboros.sandbox.up;

import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.kubelet.EtcdPodStart;
import dev.ouroboros.node.kubelet.PodLogs;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.RunningNode;
import java.time.Duration;
import java.time.InstantSource;

/** Waits for a node's etcd. Its health is served on the node's loopback only, so it is asked from inside. */
final class EtcdHealth {
    /** bash speaks TCP; curl may not be there. */
    private static final String ASK = "exec 3<>/dev/tcp/127.0.0.1/" + EtcdStaticPod.METRICS_PORT + " && printf 'GET "
            + EtcdStaticPod.HEALTH + " HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3";

    private static final Duration LIMIT = Duration.ofMinutes(5);

    private final Processes processes;
    private final Disk disk;
    private final Waiting waiting;

    EtcdHealth(Processes processes, Disk disk, InstantSource time) {
        this.processes = processes;
        this.disk = disk;
        this.waiting = new Waiting(time);
    }

    /**
     * @throws ProblemException COMPONENT_FAILED with the last lines of etcd's log when it does not become healthy
     */
    void await(RunningNode node) {
        new EtcdPodStart(waiting, new PodLogs(disk, node.file(NodeLayout.POD_LOGS)), LIMIT)
                .await(
                        nodeName(node),
                        () -> isHealthy(node),
                        "see logs/kubelet.log in the sandbox's directory, then run 'ouro up' again");
    }

    private boolean isHealthy(RunningNode node) {
        return processes.run(node.enter(Command.of("bash", "-c", ASK))).output().contains("\"health\":\"true\"");
    }

    private String nodeName(RunningNode node) {
        return disk.readText(node.file(NodeLayout.HOST_NAME)).orElse("").strip();
    }
}
