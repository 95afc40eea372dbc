package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.testing.KilledAnywhere;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.port.Listeners;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
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

    private Path binaries = Path.of("");
    private Path manifest = Path.of("");
    private int port;
    private int peerPort;

    @SuppressWarnings("NullAway.Init") // made before each test
    private TestIdentity identity;

    @SuppressWarnings("NullAway.Init") // made before each test
    private ManifestKubelet kubelet;

    @BeforeEach
    void etcd() throws Exception {
        List<Path> installed = SecureEtcd.installed();
        assumeFalse(installed.isEmpty(), "no etcd on this machine");
        binaries = installed.getFirst();
        identity = new TestIdentity(directory);
        port = SecureEtcd.freePort();
        peerPort = SecureEtcd.freePort();
        Files.createDirectory(directory.resolve("data"));
        manifest = Files.createDirectory(directory.resolve("manifests")).resolve("etcd.yaml");
        Files.writeString(manifest, manifest(IMAGE));
        kubelet = new ManifestKubelet(directory.resolve("manifests"), directory.resolve("etcd.log"));
        awaitHealth();
    }

    private void awaitHealth() {
        Instant end = InstantSource.system().instant().plus(LIMIT);
        while (!control("endpoint", "health").succeeded()) {
            assertThat(InstantSource.system().instant()).isBefore(end);
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
    }

    @AfterEach
    void end() {
        kubelet.close();
    }

    private String manifest(String image, String... flags) {
        String client = "https://127.0.0.1:" + port;
        String peer = "http://127.0.0.1:" + peerPort;
        List<String> command = new ArrayList<>(List.of(
                binaries.resolve("etcd").toString(),
                "--name=one",
                "--data-dir=" + directory.resolve("data"),
                "--listen-client-urls=" + client,
                "--advertise-client-urls=" + client,
                "--listen-peer-urls=" + peer,
                "--initial-advertise-peer-urls=" + peer,
                "--initial-cluster=one=" + peer,
                "--listen-metrics-urls=http://127.0.0.1:" + (port + 1),
                "--cert-file=" + identity.file("server.crt"),
                "--key-file=" + identity.file("server.key"),
                "--trusted-ca-file=" + identity.file("ca.crt"),
                "--client-cert-auth"));
        command.addAll(List.of(flags));
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: etcd, namespace: kube-system}
                spec:
                  hostNetwork: true
                  containers:
                  - name: etcd
                    image: %s
                    command: ["%s"]
                    livenessProbe: {httpGet: {host: 127.0.0.1, path: /health, port: %d}}
                    volumeMounts: [{name: all, mountPath: %s}]
                  volumes: [{name: all, hostPath: {path: %s}}]
                """.formatted(image, String.join("\", \"", command), port + 1, directory, directory);
    }

    private Result control(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                binaries.resolve("etcdctl").toString(),
                "--endpoints=https://127.0.0.1:" + port,
                "--cacert=" + identity.file("ca.crt"),
                "--cert=" + identity.file("client.crt"),
                "--key=" + identity.file("client.key")));
        command.addAll(List.of(arguments));
        return new LocalProcesses().run(Command.of(command).withEnvironment("ETCDCTL_API", "3"));
    }

    private Path wanted(String text) throws IOException {
        return Files.writeString(directory.resolve("wanted.yaml"), text);
    }

    private EtcdChanger.Outcome change(String text, ProcedureListener listener) throws Exception {
        return new EtcdChanger(new LocalDisk(), kubelet, Listeners.ofThisMachine(), InstantSource.system(), listener)
                .change(new EtcdChangeOptions(wanted(text), manifest, directory.resolve("state"), LIMIT));
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
        control("put", "key", "value").orThrow();
        String target = manifest(IMAGE, QUOTA);
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
                .contains("member third-vote votes", manifest + " is as in the new manifest")
                .endsWith("data of member third-vote are deleted");
        assertThat(Files.readString(manifest)).isEqualTo(target);
        assertThat(control("get", "key", "--print-value-only").orThrow().strip())
                .isEqualTo("value");
        assertThat(control("member", "list").orThrow().strip().lines()).hasSize(1);
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
                manifest("registry.example/etcd:missing"),
                ErrorCode.UNUSABLE_IMAGE,
                "etcd:missing is not on this node");
        assertRefused(manifest("registry.example/etcd:3.6.1"), ErrorCode.CHANGE_REFUSED, "is of v3.6.1");
        assertRefused(manifest(IMAGE, "--name=two"), ErrorCode.CHANGE_REFUSED, "is \"two\"");
        assertRefused("apiVersion: v1\nkind: Node\nmetadata: {}\n", ErrorCode.INVALID_CONFIG, "");
        assertRefused(
                manifest(IMAGE, "--quota-backend-bytes=1000"),
                ErrorCode.CHANGE_REFUSED,
                "allows 0 MiB, and the database has ");
        Path restore =
                Files.createDirectories(directory.resolve("state/restore")).resolve("journal.json");
        Files.writeString(restore, "{}");
        assertRefused(manifest(IMAGE, QUOTA), ErrorCode.LOCKED, "an 'ouro start' is under way");
        Files.delete(restore);
        control("member", "add", "second", "--learner", "--peer-urls=http://127.0.0.1:1")
                .orThrow();
        assertRefused(manifest(IMAGE, QUOTA), ErrorCode.UNSUPPORTED_CLUSTER, "has 2 members");
        assertThat(directory.resolve("state/etcd-change/journal.json")).doesNotExist();
    }

    /** As after a restore by its own tool, which has an address of its own unless it is told another. */
    @Test
    @Timeout(60)
    void oneThatIsNotWhereItsManifestSaysIsRefused() throws Exception {
        String elsewhere = manifest(IMAGE)
                .replace(
                        "--initial-advertise-peer-urls=http://127.0.0.1",
                        "--initial-advertise-peer-urls=http://localhost")
                .replace("--initial-cluster=one=http://127.0.0.1", "--initial-cluster=one=http://localhost");
        Files.writeString(manifest.resolveSibling(".new"), elsewhere);
        Files.move(manifest.resolveSibling(".new"), manifest, StandardCopyOption.ATOMIC_MOVE);
        while (!kubelet.runs(elsewhere)) {
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
        awaitHealth();
        assertRefused(
                elsewhere.replace("--client-cert-auth", "--client-cert-auth\", \"" + QUOTA),
                ErrorCode.UNSUPPORTED_CLUSTER,
                "has no member at http://localhost:" + peerPort);
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
