package dev.ouroboros.recovery;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.etcd.SavedSnapshot;
import dev.ouroboros.etcd.SnapshotName;
import dev.ouroboros.etcd.SnapshotSaver;
import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.recovery.RecoveryDirectory.Difference;
import dev.ouroboros.recovery.RecoveryDirectory.Kind;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;

/** Recovers a cluster into a directory: says first what would change there, and writes it when it is told to. */
public record ClusterRecovery(Disk disk, InstantSource clock, SecureRandom random, RecoveryDirectory directory) {
    /** What is left of a cluster: where its objects are read from. */
    public sealed interface Source {
        /**
         * A snapshot of etcd, or the database of a data directory whose etcd does not run.
         *
         * @param keys to what is encrypted in it
         * @param damaged whether what can be read of a damaged file is good enough
         */
        record SnapshotFile(Path file, EncryptionConfiguration keys, boolean damaged) implements Source {}

        /** An etcd that lives. */
        record LiveEtcd(EtcdServers servers, EncryptionConfiguration keys) implements Source {}

        /** An API that still answers. */
        record LiveApi(Endpoint endpoint) implements Source {}
    }

    /** @param changes of the directory, in the order of paths; none when it holds all of it already */
    public record Planned(RecoveredCluster cluster, List<Difference> changes) {}

    /**
     * Recovers, and writes nothing. What an earlier run made in the directory is kept.
     *
     * @throws ProblemException FOREIGN_FILE when the directory is somebody else's, or everything that stands in the way
     */
    public Planned plan(RecoveryRequest request, Source source) {
        directory.requireOwn();
        RecoveryRequest again = request.keeping(directory.existing());
        RecoveredCluster cluster = new Recovery(clock, random).of(objects(source), again);
        List<Difference> changes = directory.compare(cluster.files()).stream()
                .filter(difference -> difference.kind() != Kind.SAME)
                .toList();
        return new Planned(cluster, changes);
    }

    /** Makes the directory hold what was planned, and nothing else. */
    public void write(Planned planned) {
        directory.write(planned.cluster().files());
    }

    private ClusterObjects objects(Source source) {
        return switch (source) {
            case Source.SnapshotFile(Path file, EncryptionConfiguration keys, boolean damaged) -> {
                ClusterObjects read = SnapshotObjectSource.read(file, keys, file.toString());
                yield damaged ? read : whole(read);
            }
            case Source.LiveEtcd(EtcdServers servers, EncryptionConfiguration keys) -> objects(servers, keys);
            case Source.LiveApi(Endpoint endpoint) -> {
                try (ClusterClient client = ClusterClient.connect(endpoint)) {
                    yield ClusterObjects.read(new ApiObjectSource(new ClusterReader(client), client.server()));
                }
            }
        };
    }

    /** @throws ProblemException with every damage */
    private static ClusterObjects whole(ClusterObjects read) {
        if (!read.damage().isEmpty()) {
            throw new ProblemException(read.damage().stream()
                    .map(damage -> new Problem(
                            damage.code(),
                            damage.where(),
                            damage.what(),
                            damage.expected(),
                            damage.next() + "; to recover from what can be read of this one, add --damaged"))
                    .toList());
        }
        return read;
    }

    /** An etcd that lives is read through a snapshot of it: one reader, and one moment for all objects. */
    private ClusterObjects objects(EtcdServers servers, EncryptionConfiguration keys) {
        Path scratch = temporaryDirectory();
        try {
            SavedSnapshot saved = new SnapshotSaver(disk, clock)
                    .save(servers, new SnapshotName(scratch.resolve("live.db")), new SnapshotRetention.All());
            return SnapshotObjectSource.read(saved.file(), keys, "etcd");
        } finally {
            disk.deleteTree(scratch);
        }
    }

    private static Path temporaryDirectory() {
        try {
            return Files.createTempDirectory("ouro-recover-");
        } catch (IOException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.DISK,
                            System.getProperty("java.io.tmpdir", "the directory for temporary files"),
                            "no directory for a snapshot of the etcd can be made there: " + e.getMessage(),
                            "",
                            "make room, or take the snapshot yourself and give it with --snapshot"),
                    e);
        }
    }
}
