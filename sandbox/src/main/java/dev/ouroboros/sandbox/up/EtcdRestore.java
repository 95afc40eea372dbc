package dev.ouroboros.sandbox.up;

import dev.ouroboros.core.manifest.EtcdStaticPod;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.core.version.EtcdTools;
import dev.ouroboros.core.version.KubernetesVersion;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.RunningNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Restores etcd on a new node, which has none yet: by etcd's own tool, into a directory beside, which becomes etcd's when it is whole. Every
 * other component of the cluster starts after it and lists anew.
 */
final class EtcdRestore {
    private static final Duration LIMIT = Duration.ofMinutes(15);

    /** More revisions than a cluster makes between a snapshot and its loss; etcd's documentation proposes it. */
    private static final long REVISIONS = 1_000_000_000;

    private final EtcdTools tools = new EtcdTools();
    private final Processes processes;
    private final Disk disk;
    private final InstantSource time;

    EtcdRestore(Processes processes, Disk disk, InstantSource time) {
        this.processes = processes;
        this.disk = disk;
        this.time = time;
    }

    /** When the node's etcd was restored; empty when it was not. */
    Optional<Instant> restored(RunningNode node) {
        return disk.readText(node.file(NodeLayout.ETCD_RESTORED))
                .filter(_ -> disk.status(node.file(NodeLayout.ETCD_DATA)).isPresent())
                .map(text -> Instant.parse(text.strip()));
    }

    /**
     * Does nothing when it was done.
     *
     * @throws ProblemException PROCESS_FAILED with what the tool says
     */
    void ensure(RunningNode node, Path snapshot, String etcdVersion, String member, String address) {
        if (restored(node).isPresent()) {
            return;
        }
        KubernetesVersion version = KubernetesVersion.parse(etcdVersion)
                .orElseThrow(() -> new IllegalStateException("etcd says its version: " + etcdVersion));
        String peer = "https://" + address + ":" + EtcdStaticPod.PEER_PORT;
        disk.deleteTree(node.file(NodeLayout.ETCD_RESTORING));
        List<String> command = new ArrayList<>(List.of(
                tool(node, version),
                "snapshot",
                "restore",
                NodeLayout.ofHostFile(snapshot).toString(),
                "--name=" + member,
                "--initial-cluster=" + member + "=" + peer,
                "--initial-advertise-peer-urls=" + peer,
                "--initial-cluster-token=recovered-" + time.instant().getEpochSecond(),
                "--data-dir=" + NodeLayout.ETCD_RESTORING));
        if (tools.raisesRevision(version)) {
            command.add("--bump-revision=" + REVISIONS);
            command.add("--mark-compacted");
        }
        Result result = processes.run(node.enter(Command.of(command).withTimeout(LIMIT)));
        if (result.exitCode() != 0) {
            throw ProblemException.of(
                    ErrorCode.PROCESS_FAILED,
                    command.getFirst() + " snapshot restore " + snapshot,
                    "failed with exit code " + result.exitCode() + ": "
                            + result.error().strip(),
                    "a snapshot that 'ouro snapshot inspect' finds whole",
                    "");
        }
        disk.write(
                node.file(NodeLayout.ETCD_RESTORED),
                (time.instant() + "\n").getBytes(StandardCharsets.UTF_8),
                Disk.OWNER_ONLY_FILE);
        disk.rename(node.file(NodeLayout.ETCD_RESTORING), node.file(NodeLayout.ETCD_DATA));
    }

    /** Of those that can restore for this version of etcd, the one that was installed. */
    private String tool(RunningNode node, KubernetesVersion version) {
        return tools.restoring(version).stream()
                .filter(name -> disk.status(node.file(NodeLayout.BINARIES.resolve(name)))
                        .isPresent())
                .findFirst()
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.MISSING_TOOL,
                        String.join(" or ", tools.restoring(version)),
                        "is not among the binaries",
                        "etcd's tool that restores a snapshot",
                        "put it beside etcd in the directory that --binaries names"));
    }
}
