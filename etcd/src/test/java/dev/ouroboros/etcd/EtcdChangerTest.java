package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.etcd.decide.RestoreState;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.testing.KilledAnywhere;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.port.Listeners;
import dev.ouroboros.node.procedure.ProcedureListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Changes of a real etcd that something like a kubelet runs. What they are about is {@code EtcdChangeTest}'s; API servers are in the end-to-end tests. */
final class EtcdChangerTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String IMAGE = "registry.example/etcd:3.4.23";
    private static final String QUOTA = "--quota-backend-bytes=1000000000";

    @TempDir
    private Path directory = Path.of("");

    @SuppressWarnings("NullAway.Init") // made before each test
    private ManifestEtcd etcd;

    @BeforeEach
    void etcd() throws Exception {
        etcd = ManifestEtcd.start(directory, IMAGE);
    }

    @AfterEach
    void end() {
        if (etcd != null) {
            etcd.close();
        }
    }

    private Path wanted(String text) throws IOException {
        return Files.writeString(directory.resolve("wanted.yaml"), text);
    }

    private EtcdChanger.Outcome change(String text, ProcedureListener listener) throws Exception {
        return new EtcdChanger(
                        new LocalDisk(), etcd.kubelet(), Listeners.ofThisMachine(), InstantSource.system(), listener)
                .change(new EtcdChangeOptions(wanted(text), etcd.manifest(), directory.resolve("state"), LIMIT));
    }

    /** What was said; ends the process at a line of it. */
    private static final class Heard implements ProcedureListener {
        final List<String> lines = new ArrayList<>();
        private final String last;

        Heard(String last) {
            this.last = last;
        }

        @Override
        public void did(String what) {
            lines.add(what);
            if (what.equals(last)) {
                throw new KilledAnywhere.Killed();
            }
        }

        @Override
        public void waits(String why, Duration since) {}
    }

    @Test
    void aFlagIsChangedByOneThatWasKilledInTheMiddle() throws Exception {
        etcd.control("put", "key", "value").orThrow();
        String target = etcd.manifest(IMAGE, QUOTA);
        Heard killed = new Heard("member third-vote is started");
        assertThatThrownBy(() -> change(target, killed)).isInstanceOf(KilledAnywhere.Killed.class);
        assertThatThrownBy(() -> change(target + "# another\n", new Heard("")))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems())
                                .singleElement()
                                .satisfies(problem -> assertThat(problem.code()).isEqualTo(ErrorCode.LOCKED)));

        Heard heard = new Heard("");
        assertThat(change(target, heard)).isEqualTo(EtcdChanger.Outcome.CHANGED);

        assertThat(heard.lines)
                .startsWith("going on: two temporary members join")
                .contains("member third-vote votes", etcd.manifest() + " is as in the new manifest")
                .endsWith("data of member third-vote are deleted");
        assertThat(Files.readString(etcd.manifest())).isEqualTo(target);
        assertThat(etcd.control("get", "key", "--print-value-only").orThrow().strip())
                .isEqualTo("value");
        assertThat(etcd.control("member", "list").orThrow().strip().lines()).hasSize(1);
        assertThat(ProcessHandle.allProcesses()
                        .filter(process -> process.info()
                                .commandLine()
                                .filter(line -> line.contains("--data-dir=" + directory.resolve("data")))
                                .isPresent()))
                .singleElement()
                .satisfies(process -> assertThat(process.info().commandLine())
                        .hasValueSatisfying(line -> assertThat(line).contains("--quota-backend-bytes=1000000000")));
        try (Stream<Path> left = Files.list(directory.resolve("data"))) {
            assertThat(left).containsExactly(directory.resolve("data/member"));
        }
        assertThat(directory.resolve("state/etcd-change/journal.json")).doesNotExist();
        assertThat(change(target, new Heard(""))).isEqualTo(EtcdChanger.Outcome.SAME);
    }

    @Test
    void whatCannotBeChangedIsSaidBeforeAnythingIsDone() throws Exception {
        assertRefused(
                etcd.manifest("registry.example/etcd:missing"),
                ErrorCode.UNUSABLE_IMAGE,
                "etcd:missing is not on this node");
        assertRefused(etcd.manifest("registry.example/etcd:3.6.1"), ErrorCode.CHANGE_REFUSED, "is of v3.6.1");
        assertRefused(etcd.manifest(IMAGE, "--name=two"), ErrorCode.CHANGE_REFUSED, "is \"two\"");
        assertRefused("apiVersion: v1\nkind: Node\nmetadata: {}\n", ErrorCode.INVALID_CONFIG, "");
        assertRefused(
                etcd.manifest(IMAGE, "--quota-backend-bytes=1000"),
                ErrorCode.CHANGE_REFUSED,
                "allows 0 MiB, and the database has ");
        RestoreJournal restore =
                new RestoreJournal(new LocalDisk(), Files.createDirectories(directory.resolve("state/restore")));
        restore.write(new RestoreJournal.Entry("0a", "", RestoreState.initial(Instant.EPOCH)));
        assertRefused(etcd.manifest(IMAGE, QUOTA), ErrorCode.LOCKED, "an 'ouro start' is under way");
        restore.remove();
        etcd.control("member", "add", "second", "--learner", "--peer-urls=http://127.0.0.1:1")
                .orThrow();
        assertRefused(etcd.manifest(IMAGE, QUOTA), ErrorCode.UNSUPPORTED_CLUSTER, "has 2 members");
        assertThat(directory.resolve("state/etcd-change/journal.json")).doesNotExist();
    }

    /** As after a restore by its own tool, which has an address of its own unless it is told another. */
    @Test
    @Timeout(60)
    void oneThatIsNotWhereItsManifestSaysIsRefused() throws Exception {
        String elsewhere = etcd.manifest(IMAGE)
                .replace(
                        "--initial-advertise-peer-urls=http://127.0.0.1",
                        "--initial-advertise-peer-urls=http://localhost")
                .replace("--initial-cluster=one=http://127.0.0.1", "--initial-cluster=one=http://localhost");
        etcd.rewrite(elsewhere);
        assertRefused(
                elsewhere.replace("--client-cert-auth", "--client-cert-auth\", \"" + QUOTA),
                ErrorCode.UNSUPPORTED_CLUSTER,
                "has no member at http://localhost:" + etcd.peerPort());
    }

    private void assertRefused(String text, ErrorCode code, String what) {
        assertThatThrownBy(() -> change(text, new Heard("")))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems()).singleElement().satisfies(problem -> {
                            assertThat(problem.code()).isEqualTo(code);
                            assertThat(problem.what()).contains(what);
                        }));
    }
}
