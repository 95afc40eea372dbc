package dev.ouroboros.sandbox.up;

import dev.ouroboros.etcd.RestoreTool;
import dev.ouroboros.etcd.decide.EtcdPod;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.NodeProcesses;
import dev.ouroboros.sandbox.node.RunningNode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Restores etcd on a new node, where nothing has to be stopped: into a directory beside, which becomes etcd's when it is whole. Every
 * other component of the cluster starts after it and lists anew.
 */
final class SandboxEtcdRestore {
    private final Processes processes;
    private final Disk disk;
    private final InstantSource time;

    SandboxEtcdRestore(Processes processes, Disk disk, InstantSource time) {
        this.processes = processes;
        this.disk = disk;
        this.time = time;
    }

    /** When the node's etcd was restored; empty when it was not. */
    Optional<Instant> restored(RunningNode node) {
        return note(node).map(note -> Instant.parse(note.getFirst()));
    }

    /** SHA-256 of the snapshot that it was restored from; empty when it was not, or an ouro restored it that did not write that down. */
    Optional<String> restoredFrom(RunningNode node) {
        return note(node).filter(note -> note.size() > 1).map(List::getLast);
    }

    private Optional<List<String>> note(RunningNode node) {
        return disk.readText(node.file(NodeLayout.ETCD_RESTORED))
                .filter(_ -> disk.status(node.file(NodeLayout.ETCD_DATA)).isPresent())
                .map(text -> List.of(text.strip().split(" ", -1)));
    }

    /**
     * Does nothing when it was done; that it was done with the same snapshot is known since the assets were written.
     *
     * @param etcd that will run on it
     * @throws ProblemException with which tool is missing, or what it says
     */
    void ensure(RunningNode node, CheckedSnapshot snapshot, EtcdStaticPod etcd) {
        if (restored(node).isPresent()) {
            return;
        }
        EtcdPod pod = EtcdPod.of(NodeLayout.ETCD_MANIFEST.toString(), etcd.pod());
        RestoreTool tool = RestoreTool.find(new NodeProcesses(node, processes), Optional.empty(), pod);
        disk.deleteTree(node.file(NodeLayout.ETCD_RESTORING));
        String token = "recovered-" + time.instant().getEpochSecond();
        tool.of(NodeLayout.ofHostFile(snapshot.file()), snapshot.signed(), pod)
                .unpack(NodeLayout.ETCD_RESTORING, token);
        disk.write(
                node.file(NodeLayout.ETCD_RESTORED),
                (time.instant() + " " + snapshot.sha256() + "\n").getBytes(StandardCharsets.UTF_8),
                Disk.OWNER_ONLY_FILE);
        disk.rename(node.file(NodeLayout.ETCD_RESTORING), node.file(NodeLayout.ETCD_DATA));
    }
}
