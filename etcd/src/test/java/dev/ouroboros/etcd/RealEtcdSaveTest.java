package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.ouroboros.etcd.SavedSnapshot.KeySpaceCheck;
import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.runtime.protobuf.MessageWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots of a real etcd over TLS, of every version that the machine has. */
final class RealEtcdSaveTest {
    private static final int FIELD_BLOB = 3;
    private static final int FIELD_HASH = 2;
    private static final int FIELD_COMPACTED = 3;
    private static final Instant NOW = Instant.parse("2026-11-21T15:12:00Z");

    @TempDir
    private Path directory = Path.of("");

    @SuppressWarnings("NullAway.Init") // made before each test
    private TestIdentity identity;

    private List<Path> installed = List.of();

    @BeforeEach
    void identity() throws Exception {
        identity = new TestIdentity(directory);
        installed = SecureEtcd.installed();
        assumeFalse(installed.isEmpty(), "no etcd on this machine");
    }

    private SecureEtcd start(Path binaries) throws IOException {
        return SecureEtcd.start(binaries, Files.createTempDirectory(directory, "etcd"), identity);
    }

    private static SnapshotSaver saver(Instant now) {
        return new SnapshotSaver(new LocalDisk(), InstantSource.fixed(now), Duration.ofSeconds(20));
    }

    @Test
    void savesALiveEtcdThatIsWrittenTo() throws Exception {
        for (Path binaries : installed) {
            try (SecureEtcd etcd = start(binaries);
                    Writer writer = new Writer(etcd)) {
                writer.awaitWrites(5);
                Path file = Files.createTempDirectory(directory, "backup").resolve("backup.db");
                SavedSnapshot saved =
                        saver(NOW).save(etcd.servers(), new SnapshotName(file), new SnapshotRetention.All());
                assertThat(saved.file()).isEqualTo(file).exists();
                assertThat(saved.bytes()).isEqualTo(Files.size(file));
                assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
                assertThat(saved.inspection().status().revision()).isGreaterThan(5);
                assertThat(saved.keySpace()).isInstanceOf(KeySpaceCheck.Agrees.class);
                assertThat(file.resolveSibling(SnapshotSaver.PARTIAL)).doesNotExist();
            }
        }
    }

    @Test
    void agreesOnTheKeySpaceAfterDeletionsAndCompactions() throws Exception {
        for (Path binaries : installed) {
            try (SecureEtcd etcd = start(binaries)) {
                for (int key = 0; key < 20; key++) {
                    etcd.control("put", "/registry/things/" + key, "value " + key);
                }
                etcd.control("del", "--prefix", "/registry/things/1");
                String deletion = etcd.control("get", "nothing", "-w", "json")
                        .replaceAll(".*\"revision\":(\\d+).*", "$1")
                        .strip();
                etcd.control("put", "/registry/things/2", "changed");
                Path file = Files.createTempDirectory(directory, "backup").resolve("backup.db");
                for (String compaction : List.of("", "5", deletion)) {
                    if (!compaction.isEmpty()) {
                        etcd.control("compaction", "--physical", compaction);
                    }
                    SavedSnapshot saved =
                            saver(NOW).save(etcd.servers(), new SnapshotName(file), new SnapshotRetention.All());
                    assertThat(saved.keySpace()).as("compacted " + compaction).isInstanceOf(KeySpaceCheck.Agrees.class);
                }
            }
        }
    }

    /** The keys come with it and go with it, and what they do not decrypt is told. */
    @Test
    void keepsTheKeysBesideTheSnapshotTheyAreFor() throws Exception {
        String keys = """
                kind: EncryptionConfiguration
                apiVersion: apiserver.config.k8s.io/v1
                resources:
                - resources: [secrets]
                  providers:
                  - secretbox: {keys: [{name: key1, secret: MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=}]}
                  - identity: {}
                """;
        try (SecureEtcd etcd = start(installed.getFirst())) {
            etcd.control("put", "/registry/namespaces/kube-system", "k8s");
            etcd.control("put", "/registry/secrets/default/a", "k8s:enc:secretbox:v1:key1:not what it says");
            etcd.control("put", "/registry/secrets/default/b", "k8s:enc:secretbox:v1:key2:of another key");
            Path place = Files.createDirectory(directory.resolve("with-keys"));
            SnapshotName name = new SnapshotName(place.resolve("etcd-{time}.db"));
            SavedSnapshot first =
                    saver(NOW).save(etcd.servers(), name, new SnapshotRetention.Newest(1), Optional.of(keys));

            Path beside = SnapshotName.keysOf(first.file());
            assertThat(Files.readString(beside)).isEqualTo(keys);
            assertThat(Files.getPosixFilePermissions(beside)).hasSize(2);
            assertThat(first.inspection().unreadable()).hasSizeGreaterThanOrEqualTo(2);
            assertThat(new SnapshotList(new LocalDisk()).below(directory))
                    .singleElement()
                    .satisfies(entry -> {
                        assertThat(entry.file()).isEqualTo(first.file());
                        assertThat(entry.state()).isEqualTo(SnapshotList.State.AS_SAVED);
                        assertThat(entry.keys()).contains(beside);
                        assertThat(entry.bytes()).isEqualTo(first.bytes());
                    });

            SavedSnapshot second = saver(NOW.plusSeconds(60))
                    .save(etcd.servers(), name, new SnapshotRetention.Newest(1), Optional.of(keys));
            assertThat(second.removed()).containsExactly(first.file());
            assertThat(beside).doesNotExist();
            assertThat(SnapshotName.keysOf(second.file())).exists();
            assertThatThrownBy(() -> saver(NOW)
                            .save(etcd.servers(), name, new SnapshotRetention.All(), Optional.of("kind: Other")))
                    .hasMessageContaining("EncryptionConfiguration");
        }
    }

    @Test
    void keepsTheNewestAndWhatIsNotItsOwn() throws Exception {
        try (SecureEtcd etcd = start(installed.getFirst())) {
            etcd.control("put", "a", "b");
            Path place = Files.createDirectory(directory.resolve("backups"));
            SnapshotName name = new SnapshotName(place.resolve("etcd-{time}.db"));
            Path theirs = place.resolve("etcd-20200101T000000Z.db");
            SavedSnapshot first = saver(NOW).save(etcd.servers(), name, new SnapshotRetention.Newest(2));
            Files.copy(first.file(), theirs);
            SavedSnapshot second =
                    saver(NOW.plusSeconds(60)).save(etcd.servers(), name, new SnapshotRetention.Newest(2));
            Path replaced = second.file();
            SavedSnapshot third =
                    saver(NOW.plusSeconds(120)).save(etcd.servers(), name, new SnapshotRetention.Newest(2));
            assertThat(first.file()).doesNotExist();
            assertThat(third.removed()).containsExactly(first.file());
            Files.writeString(replaced, "what a person put in its place");
            SavedSnapshot fourth =
                    saver(NOW.plusSeconds(180)).save(etcd.servers(), name, new SnapshotRetention.Newest(1));
            assertThat(fourth.removed()).containsExactly(third.file());
            assertThat(fourth.remarks())
                    .singleElement()
                    .satisfies(remark -> assertThat(remark.code()).isEqualTo(ErrorCode.FOREIGN_FILE));
            try (Stream<Path> files = Files.list(place)) {
                assertThat(files.filter(file -> file.toString().endsWith(".db")))
                        .containsExactlyInAnyOrder(theirs, replaced, fourth.file());
            }
        }
    }

    @Test
    void asksTheNextMemberWhenOneIsAway() throws Exception {
        try (SecureEtcd etcd = start(installed.getFirst())) {
            etcd.control("put", "a", "b");
            EtcdServers both = EtcdServers.of(
                    List.of("https://127.0.0.1:" + SecureEtcd.freePort(), etcd.endpoint()), identity.client());
            SavedSnapshot saved = saver(NOW)
                    .save(both, new SnapshotName(directory.resolve("backup.db")), new SnapshotRetention.All());
            assertThat(saved.server()).hasToString(etcd.endpoint());
        }
    }

    @Test
    void asksTheNextMemberWhenOneHasNoMajority() throws Exception {
        List<Path> places =
                List.of(Files.createTempDirectory(directory, "etcd"), Files.createTempDirectory(directory, "etcd"));
        List<SecureEtcd> members = SecureEtcd.start(installed.getFirst(), places, identity);
        try (SecureEtcd cutOff = members.getFirst();
                SecureEtcd whole = start(installed.getFirst())) {
            cutOff.control("put", "a", "b");
            whole.control("put", "a", "b");
            SnapshotName name = new SnapshotName(directory.resolve("backup.db"));
            assertThat(saver(NOW)
                            .save(cutOff.servers(), name, new SnapshotRetention.All())
                            .keySpace())
                    .isInstanceOf(KeySpaceCheck.Agrees.class);
            Files.delete(name.at(NOW));
            members.getLast().close();
            assertThatThrownBy(() -> saver(NOW).save(cutOff.servers(), name, new SnapshotRetention.All()))
                    .hasMessageContaining(cutOff.endpoint())
                    .hasMessageContaining("has no majority");
            assertThat(name.at(NOW)).doesNotExist();
            EtcdServers both = EtcdServers.of(List.of(cutOff.endpoint(), whole.endpoint()), identity.client());
            assertThat(saver(NOW).save(both, name, new SnapshotRetention.All()).server())
                    .hasToString(whole.endpoint());
        } finally {
            members.getLast().close();
        }
    }

    @Test
    void namesAMissingCertificateAndAMissingRole() throws Exception {
        for (Path binaries : installed) {
            try (SecureEtcd etcd = start(binaries)) {
                SnapshotName name = new SnapshotName(directory.resolve("backup.db"));
                EtcdServers nobody = EtcdServers.of(List.of(etcd.endpoint()), identity.nobody());
                assertThatThrownBy(() -> saver(NOW).save(nobody, name, new SnapshotRetention.All()))
                        .hasMessageContaining("wants a certificate");
                etcd.control("user", "add", "root:password");
                etcd.control("user", "grant-role", "root", "root");
                etcd.control("auth", "enable");
                assertThatThrownBy(() -> saver(NOW).save(etcd.servers(), name, new SnapshotRetention.All()))
                        .satisfies(failure -> assertThat(((ProblemException) failure).problems())
                                .allMatch(problem -> problem.code() == ErrorCode.ETCD_REFUSED))
                        .hasMessageContaining("role root");
                identity.leaf("root");
                EtcdServers root = EtcdServers.of(List.of(etcd.endpoint()), identity.client("root"));
                assertThat(saver(NOW)
                                .save(root, name, new SnapshotRetention.All())
                                .file())
                        .exists();
                Files.delete(name.at(NOW));
            }
        }
    }

    @Test
    void refusesASnapshotWhoseServerHasAnotherKeySpace() throws Exception {
        Path good = directory.resolve("good.db");
        try (SecureEtcd etcd = start(installed.getFirst())) {
            etcd.control("put", "a", "b");
            saver(NOW).save(etcd.servers(), new SnapshotName(good), new SnapshotRetention.All());
        }
        byte[] bytes = Files.readAllBytes(good);
        Path place = Files.createDirectory(directory.resolve("backups"));
        try (FakeEtcd etcd = FakeEtcd.ofMajority(identity, (method, connection) -> {
            connection.begin();
            if (method.equals("Snapshot")) {
                for (int from = 0; from < bytes.length; from += 8192) {
                    connection.message(new MessageWriter()
                            .bytes(FIELD_BLOB, Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + 8192))));
                }
            } else {
                connection.message(new MessageWriter().number(FIELD_HASH, 42).number(FIELD_COMPACTED, -1));
            }
            connection.end(0, "");
        })) {
            SnapshotName name = new SnapshotName(place.resolve("backup.db"));
            assertThatThrownBy(() -> saver(NOW).save(etcd.servers(identity), name, new SnapshotRetention.All()))
                    .hasMessageContaining("another key space");
            assertThat(place.resolve("backup.db")).doesNotExist();
        }
    }

    /** Somebody who writes all the time. */
    private static final class Writer implements AutoCloseable {
        private final SecureEtcd etcd;
        private final AtomicBoolean over = new AtomicBoolean();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final java.util.concurrent.Semaphore writes = new java.util.concurrent.Semaphore(0);
        private final Thread thread;

        Writer(SecureEtcd etcd) {
            this.etcd = etcd;
            this.thread = Thread.ofPlatform().start(this::write);
        }

        private void write() {
            try {
                for (int change = 0; !over.get(); change++) {
                    etcd.control("put", "/registry/things/" + change % 7, "x".repeat(change % 3000));
                    writes.release();
                }
            } catch (IOException | AssertionError e) {
                failure.set(e);
            }
        }

        void awaitWrites(int number) throws InterruptedException {
            writes.acquire(number);
        }

        @Override
        public void close() {
            over.set(true);
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            assertThat(failure.get()).isNull();
        }
    }
}
