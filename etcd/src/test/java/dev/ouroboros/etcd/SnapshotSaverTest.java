package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.runtime.protobuf.MessageWriter;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What goes wrong between an etcd and a file, and that nothing but whole snapshots gets the file's name. */
final class SnapshotSaverTest {
    private static final Instant NOW = Instant.parse("2026-11-21T15:12:00Z");
    private static final byte[] PIECE = "some of a database ".repeat(1000).getBytes(StandardCharsets.UTF_8);
    private static final int FIELD_REMAINING = 2;
    private static final int FIELD_BLOB = 3;

    @TempDir
    private Path directory = Path.of("");

    private Path backups = Path.of("");

    @SuppressWarnings("NullAway.Init") // made before each test
    private TestIdentity identity;

    @BeforeEach
    void identity() throws Exception {
        identity = new TestIdentity(directory);
        backups = Files.createDirectory(directory.resolve("backups"));
    }

    private SnapshotSaver saver() {
        return new SnapshotSaver(new LocalDisk(), InstantSource.fixed(NOW), Duration.ofSeconds(2));
    }

    private AbstractThrowableAssert<?, ?> failure(EtcdServers servers) {
        return assertThatThrownBy(() ->
                saver().save(servers, new SnapshotName(backups.resolve("backup.db")), new SnapshotRetention.All()));
    }

    private void nothingIsThere() throws IOException {
        try (Stream<Path> files = Files.list(backups)) {
            assertThat(files.map(file -> file.getFileName().toString())).containsExactly(SnapshotSaver.LOCK);
        }
    }

    private static MessageWriter piece(long remaining) {
        return new MessageWriter().number(FIELD_REMAINING, remaining).bytes(FIELD_BLOB, PIECE);
    }

    @Test
    void leavesNothingOfASnapshotThatIsCutOff() throws Exception {
        try (FakeEtcd etcd = FakeEtcd.ofMajority(identity, (method, connection) -> {
            connection.begin();
            connection.message(piece(1_000_000));
            connection.cut();
        })) {
            failure(etcd.servers(identity)).hasMessageContaining("broke off");
            nothingIsThere();
        }
    }

    @Test
    void doesNotTakeAnEarlyEndForTheWholeSnapshot() throws Exception {
        try (FakeEtcd etcd = FakeEtcd.ofMajority(identity, (method, connection) -> {
            connection.begin();
            connection.message(piece(1_000_000));
            connection.end(0, "");
        })) {
            failure(etcd.servers(identity)).hasMessageContaining("ends 1000000 bytes early");
            nothingIsThere();
        }
    }

    @Test
    void givesUpOnAServerThatFallsSilent() throws Exception {
        try (FakeEtcd etcd = FakeEtcd.ofMajority(identity, (method, connection) -> {
            connection.begin();
            connection.message(piece(1_000_000));
            connection.hang();
        })) {
            failure(etcd.servers(identity)).hasMessageContaining("does not answer");
            nothingIsThere();
        }
    }

    @Test
    void refusesWhatIsNoSnapshotAfterAll() throws Exception {
        try (FakeEtcd etcd = FakeEtcd.ofMajority(identity, (method, connection) -> {
            connection.begin();
            connection.message(piece(0));
            connection.end(0, "");
        })) {
            failure(etcd.servers(identity)).isInstanceOf(ProblemException.class);
            nothingIsThere();
        }
    }

    @Test
    void saysWhatToDoWhenEtcdAsksWhoWeAre() throws Exception {
        try (FakeEtcd etcd = FakeEtcd.ofMajority(identity, (method, connection) -> {
            connection.begin();
            connection.end(7, "etcdserver: permission denied");
        })) {
            failure(etcd.servers(identity))
                    .hasMessageContaining("permission denied")
                    .hasMessageContaining("role root");
            nothingIsThere();
        }
    }

    /** What it would send may be days old, and agrees with its own hash. */
    @ParameterizedTest
    @CsvSource({
        "2, etcdserver: request timed out",
        "2, context deadline exceeded",
        "4, context deadline exceeded",
        "14, etcdserver: no leader"
    })
    void doesNotTakeTheSnapshotOfAMemberWithoutAMajority(int status, String said) throws Exception {
        try (FakeEtcd etcd = FakeEtcd.start(identity, (method, connection) -> {
            assertThat(method).isEqualTo("Alarm");
            connection.begin();
            connection.end(status, said);
        })) {
            failure(etcd.servers(identity))
                    .satisfies(SnapshotSaverTest::unavailable)
                    .hasMessageContaining(etcd.url())
                    .hasMessageContaining("has no majority")
                    .hasMessageContaining("start the other members");
            nothingIsThere();
        }
    }

    @Test
    void namesAnUnreachableServer() throws Exception {
        int nobody = SecureEtcd.freePort();
        failure(EtcdServers.of(List.of("https://127.0.0.1:" + nobody), identity.client()))
                .satisfies(SnapshotSaverTest::unavailable)
                .hasMessageContaining("cannot be reached");
        nothingIsThere();
    }

    private static void unavailable(Throwable failure) {
        assertThat(((ProblemException) failure).problems())
                .allMatch(problem -> problem.code() == ErrorCode.ETCD_UNAVAILABLE);
    }

    @Test
    void namesAServerThatSpeaksNoTls() throws Exception {
        try (ServerSocket plain = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> answerInPlain(plain));
            failure(EtcdServers.of(List.of("https://127.0.0.1:" + plain.getLocalPort()), identity.client()))
                    .hasMessageContaining("does not speak TLS");
        }
    }

    private static void answerInPlain(ServerSocket server) {
        try (Socket socket = server.accept()) {
            socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            socket.getInputStream().readAllBytes();
        } catch (IOException e) {
            return; // the client has gone
        }
    }

    @Test
    void namesAServerThatItDoesNotTrust() throws Exception {
        TestIdentity other = new TestIdentity(Files.createDirectory(directory.resolve("other")));
        try (FakeEtcd etcd = FakeEtcd.ofMajority(other, (method, connection) -> connection.cut())) {
            failure(etcd.servers(identity)).hasMessageContaining("is not trusted");
        }
    }

    @Test
    void leavesNothingWhenTheDiskIsFull() throws Exception {
        Disk full = FaultyDisk.with((change, arguments) -> {
            if (change.equals("append")) {
                ((InputStream) arguments[1]).readNBytes(PIECE.length);
                throw ProblemException.of(ErrorCode.DISK, "backup.db", "No space left on device", "", "try again");
            }
        });
        try (FakeEtcd etcd = FakeEtcd.ofMajority(identity, (method, connection) -> {
            connection.begin();
            connection.message(piece(1_000_000));
            connection.hang();
        })) {
            SnapshotSaver saver = new SnapshotSaver(full, InstantSource.fixed(NOW), Duration.ofSeconds(2));
            assertThatThrownBy(() -> saver.save(
                            etcd.servers(identity),
                            new SnapshotName(backups.resolve("backup.db")),
                            new SnapshotRetention.All()))
                    .hasMessageContaining("No space left");
            nothingIsThere();
        }
    }

    @Test
    void saysBeforehandThatTheSnapshotDoesNotFit() throws Exception {
        try (FakeEtcd etcd = FakeEtcd.ofMajority(identity, (method, connection) -> {
            connection.begin();
            connection.message(piece(1L << 60));
            connection.hang();
        })) {
            failure(etcd.servers(identity)).hasMessageContaining("MiB, for the snapshot");
            nothingIsThere();
        }
    }

    @Test
    void refusesToWriteOverWhatIsNoSnapshot() throws Exception {
        Files.writeString(backups.resolve("backup.db"), "a person's own");
        failure(EtcdServers.of(List.of("https://127.0.0.1:1"), identity.client()))
                .hasMessageContaining("no etcd snapshot");
        assertThat(backups.resolve("backup.db")).hasContent("a person's own");
    }

    @Test
    void doesNotRunTwiceInADirectory() throws Exception {
        try (ExclusiveLock _ = ExclusiveLock.acquire(backups.resolve(SnapshotSaver.LOCK), "a test")) {
            failure(EtcdServers.of(List.of("https://127.0.0.1:1"), identity.client()))
                    .hasMessageContaining("another process does this now");
        }
    }

    @Test
    void wantsTheTimeInTheNameToKeepSome() {
        assertThatThrownBy(() -> saver().save(
                                EtcdServers.of(List.of("https://127.0.0.1:1"), identity.client()),
                                new SnapshotName(backups.resolve("backup.db")),
                                new SnapshotRetention.Newest(3)))
                .hasMessageContaining("{time}");
    }

    @Test
    void saysEverythingThatIsWrongWithServersAndFiles() {
        assertThatThrownBy(() -> EtcdServers.of(
                        List.of("http://127.0.0.1:2379", "nonsense", "https://127.0.0.1"), identity.client("missing")))
                .satisfies(failure ->
                        assertThat(((ProblemException) failure).problems()).hasSize(4));
    }
}
