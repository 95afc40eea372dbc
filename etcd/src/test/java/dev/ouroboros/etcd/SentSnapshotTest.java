package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.etcd.SavedSnapshot.KeySpaceCheck;
import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.runtime.protobuf.MessageWriter;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole snapshot of a real etcd, sent by something that does other things wrong. */
final class SentSnapshotTest {
    private static final Path SAMPLE =
            Path.of("../snapshot/src/test/resources/dev/ouroboros/snapshot/etcd-3.6.13-kubernetes-1.36.2-aescbc.db.gz");
    private static final int FIELD_BLOB = 3;
    private static final int SHA_256_BYTES = 32;
    private static final int PIECE = 8192;
    private static final int OUT_OF_RANGE = 11;
    private static final int INTERNAL = 13;

    @TempDir
    private Path directory = Path.of("");

    @SuppressWarnings("NullAway.Init") // made before each test
    private TestIdentity identity;

    private Path file = Path.of("");
    private byte[] sample = {};

    @BeforeEach
    void prepare() throws Exception {
        identity = new TestIdentity(directory);
        file = Files.createDirectory(directory.resolve("backups")).resolve("backup.db");
        try (InputStream packed = new GZIPInputStream(Files.newInputStream(SAMPLE))) {
            sample = packed.readAllBytes();
        }
    }

    /**
     * Who sends it; what else it is asked for, a test says. It stays until the client has gone: what was sent is lost where a connection
     * ends with something unread.
     */
    private FakeEtcd etcd(byte[] snapshot, FakeEtcd.Behaviour hash) throws Exception {
        return FakeEtcd.ofMajority(identity, (method, connection) -> {
            if (!method.equals("Snapshot")) {
                hash.serve(method, connection);
                return;
            }
            connection.begin();
            for (int from = 0; from < snapshot.length; from += PIECE) {
                byte[] piece = Arrays.copyOfRange(snapshot, from, Math.min(snapshot.length, from + PIECE));
                connection.message(new MessageWriter().bytes(FIELD_BLOB, piece));
            }
            connection.end(0, "");
            connection.hang();
        });
    }

    private SavedSnapshot save(FakeEtcd etcd) {
        return new SnapshotSaver(
                        new LocalDisk(),
                        InstantSource.fixed(Instant.parse("2026-11-21T15:12:00Z")),
                        Duration.ofSeconds(20))
                .save(etcd.servers(identity), new SnapshotName(file), new SnapshotRetention.All());
    }

    @Test
    void aSnapshotWithoutItsSha256IsNotSaved() throws Exception {
        byte[] without = Arrays.copyOf(sample, sample.length - SHA_256_BYTES);
        try (FakeEtcd etcd = etcd(without, (_, connection) -> connection.cut())) {
            Refusal.of(() -> save(etcd), ErrorCode.DAMAGED_FILE)
                    .what("what etcd sent ends without a SHA-256")
                    .next("take it again");
        }
        assertThat(file).doesNotExist();
        assertThat(file.resolveSibling(SnapshotSaver.PARTIAL)).doesNotExist();
    }

    @Test
    void aSnapshotIsSavedAlthoughItsEtcdWasCompactedMeanwhile() throws Exception {
        assertNotCompared("etcd was compacted beyond revision ", (_, connection) -> {
            connection.begin();
            connection.end(OUT_OF_RANGE, "etcdserver: mvcc: required revision has been compacted");
            connection.hang();
        });
    }

    @Test
    void aSnapshotIsSavedAlthoughItsEtcdFailsToHash() throws Exception {
        assertNotCompared("failed: etcdserver: something; see etcd's log", (_, connection) -> {
            connection.begin();
            connection.end(INTERNAL, "etcdserver: something");
            connection.hang();
        });
    }

    @Test
    void aSnapshotIsSavedAlthoughItsEtcdGoesBeforeItHashes() throws Exception {
        assertNotCompared("see whether it runs, and the address", (_, connection) -> connection.cut());
    }

    private void assertNotCompared(String why, FakeEtcd.Behaviour hash) throws Exception {
        try (FakeEtcd etcd = etcd(sample, hash)) {
            assertThat(save(etcd).keySpace())
                    .isInstanceOfSatisfying(
                            KeySpaceCheck.NotCompared.class,
                            check -> assertThat(check.reason()).contains(why));
        }
        assertThat(file).hasBinaryContent(sample);
    }
}
