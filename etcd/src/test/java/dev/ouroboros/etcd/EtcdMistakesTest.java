package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.endpoint.ClientFiles;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.etcd.decide.RestorePhase;
import dev.ouroboros.etcd.decide.RestoreState;
import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.runtime.grpc.GrpcException;
import dev.ouroboros.runtime.grpc.GrpcStatus;
import java.io.IOException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files beside snapshots that are not ours, addresses that are no etcd's, and how each failure of a connection is told. */
final class EtcdMistakesTest {
    private static final String NOWHERE = "https://127.0.0.1:1";

    @TempDir
    private Path directory = Path.of("");

    @Test
    void aListOfSnapshotsThatIsNoneIsNotWrittenOver() throws IOException {
        Path list = directory.resolve(OwnSnapshots.LIST);
        for (String other : List.of("no list", "{}")) {
            Files.writeString(list, other);
            Refusal.of(
                    () -> new OwnSnapshots(new LocalDisk(), directory).add("a.db", "00"),
                    ErrorCode.FOREIGN_FILE,
                    list,
                    "",
                    "move it away; older snapshots then stay");
            assertThat(list).hasContent(other);
        }
    }

    @Test
    void aJournalThatIsNoneIsNotGoneOnWith() throws IOException {
        Path journal = directory.resolve("journal.json");
        String ours = "{\"apiVersion\": \"ouroboros.dev/v1alpha1\", \"kind\": \"RestoreJournal\"}";
        for (String other : List.of("no journal", "{}", ours)) {
            Files.writeString(journal, other);
            Refusal.of(
                    () -> new RestoreJournal(new LocalDisk(), directory).read(),
                    ErrorCode.FOREIGN_FILE,
                    journal,
                    "cannot be understood",
                    "move it away if no restore is to be continued");
        }
    }

    @Test
    void whyARestoreFailedIsToldFromItsJournal() {
        Instant begun = Instant.parse("2026-01-01T00:01:45Z");
        Problem failure = new Problem(
                ErrorCode.TIMEOUT, "etcd", "did not become healthy", "", "read its log (crictl logs), then go on");
        RestoreJournal journal = new RestoreJournal(new LocalDisk(), directory);
        journal.write(new RestoreJournal.Entry(
                "digest",
                "/backup/a.db",
                new RestoreState(RestorePhase.FAILED, begun, begun.plusSeconds(9), List.of(failure))));

        assertThat(journal.read().orElseThrow().state().failures())
                .singleElement()
                .satisfies(told -> {
                    assertThat(told.code()).isEqualTo(ErrorCode.COMPONENT_FAILED);
                    assertThat(told.where()).isEqualTo("restore of etcd");
                    assertThat(told.what()).isEqualTo(failure.describe());
                    assertThat(told.next()).contains("run the same command again");
                });
    }

    @Test
    void aSnapshotToRestoreThatIsNotThereIsNamedBeforeAnythingIsDone() {
        Path snapshot = directory.resolve("none.db");
        EtcdRestorer restorer =
                new EtcdRestorer(new LocalDisk(), new LocalProcesses(), new NoContainers(), InstantSource.system());
        RestoreOptions options = new RestoreOptions(
                snapshot,
                directory.resolve("etcd.yaml"),
                directory.resolve("state"),
                Optional.empty(),
                Optional.empty(),
                Duration.ofSeconds(1));
        Refusal.of(
                () -> restorer.restore(
                        options,
                        () -> {
                            throw new AssertionError("asked for consent");
                        },
                        _ -> {}),
                ErrorCode.NOT_FOUND,
                snapshot,
                "cannot be read: no such file: " + snapshot,
                "with --etcd-snapshot");
        assertThat(directory.resolve("state")).doesNotExist();
    }

    @Test
    void aSavedSnapshotThatIsGoneIsNotOneOfAnotherContent() throws IOException {
        Path gone = directory.resolve("gone.db");
        assertThat(OwnSnapshots.endOf(Files.writeString(gone, "too short"))).isEmpty();
        assertThat(OwnSnapshots.endOf(Files.write(gone, new byte[40]))).isEqualTo("00".repeat(32));
        Files.delete(gone);
        Refusal.of(() -> OwnSnapshots.endOf(gone), ErrorCode.DISK, gone, "cannot be read: no such file", "put it back");
    }

    @Test
    void aSnapshotIsSavedIntoADirectoryThatIsThere() {
        Path file = directory.resolve("none/new.db");
        EtcdServers servers = EtcdServers.of(List.of(NOWHERE), ClientFiles.none());
        Refusal.of(
                () -> new SnapshotSaver(new LocalDisk(), InstantSource.system())
                        .save(servers, new SnapshotName(file), new SnapshotRetention.All()),
                ErrorCode.NOT_FOUND,
                file,
                "its directory does not exist",
                "make it first");
    }

    @Test
    void anEtcdHasAnHttpsUrl() {
        for (List<String> urls : List.of(List.<String>of(), List.of("http://127.0.0.1:2379"), List.of("https://a b"))) {
            assertThatThrownBy(() -> EtcdServers.of(urls, ClientFiles.none()))
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            failure -> assertThat(failure.problems()).allSatisfy(problem -> {
                                assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_FLAG);
                                assertThat(problem.where()).isEqualTo("--etcd-servers");
                                assertThat(problem.next())
                                        .containsAnyOf("etcdctl snapshot save", "--advertise-client-urls");
                            }));
        }
    }

    @Test
    void whatKeepsAConnectionFromEtcdIsTold() {
        assertTold(
                new UnknownHostException("etcd.example"), ErrorCode.ETCD_UNAVAILABLE, "its name is unknown", "address");
        assertTold(new NoRouteToHostException("no route"), ErrorCode.ETCD_UNAVAILABLE, "cannot be reached", "address");
        assertTold(new SocketTimeoutException("timed out"), ErrorCode.ETCD_UNAVAILABLE, "does not answer", "address");
        assertTold(
                new GrpcException(GrpcStatus.UNIMPLEMENTED, "unknown service"),
                ErrorCode.ETCD_REFUSED,
                "does not know the request",
                "update etcd");
        assertTold(
                new GrpcException(GrpcStatus.INTERNAL, "mvcc: database space exceeded"),
                ErrorCode.ETCD_REFUSED,
                "failed: mvcc",
                "see etcd's log");
        assertTold(
                new GrpcException(GrpcStatus.UNAVAILABLE, "no leader"),
                ErrorCode.ETCD_UNAVAILABLE,
                "does not answer: no leader",
                "see whether it runs");
    }

    private static void assertTold(IOException failure, ErrorCode code, String what, String next) {
        Endpoint server = ClientFiles.none().endpoint(URI.create(NOWHERE));
        Problem problem = EtcdProblems.of(server, failure);
        assertThat(problem.code()).isEqualTo(code);
        assertThat(problem.where()).isEqualTo("etcd " + NOWHERE);
        assertThat(problem.what()).contains(what);
        assertThat(problem.next()).contains(next);
    }
}
