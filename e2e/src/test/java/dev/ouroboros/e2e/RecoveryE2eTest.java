package dev.ouroboros.e2e;

import static dev.ouroboros.e2e.ControlPlane.API_SERVER;
import static dev.ouroboros.e2e.ControlPlane.CONTROLLER_MANAGER;
import static dev.ouroboros.e2e.ControlPlane.KEEPER;
import static dev.ouroboros.e2e.ControlPlane.SCHEDULER;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.e2e.ProgressKill.Kill;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The only machine of a cluster is destroyed: a snapshot file and the encryption key bring it back. */
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class RecoveryE2eTest {
    private static final String NAME = "e2e-recovery";
    private static final Path SANDBOX = Path.of("/var/lib/ouroboros/sandboxes", NAME);
    private static final int CANARIES = 5000;
    private static final int SECRETS = 50;
    private static final String SECRETS_PATH = "/api/v1/namespaces/default/secrets";

    /** Sandboxes get the lowest number that is free: while this one is down, no other takes its network. */
    private static final String RECORD =
            "{\"subnet\": 211, \"created\": \"2026-01-01T00:00:00Z\", \"complete\": false}";

    private static final String RESTORE = "loading images and starting etcd";
    private static final String START = "starting the cluster";

    /** A step that {@code ouro up --snapshot} says it begins, and how long it takes at most, about. */
    private record Phase(String name, Duration length) {}

    private static final List<Phase> PHASES = List.of(
            new Phase("reading the snapshot", Duration.ofSeconds(2)),
            new Phase("starting the node", Duration.ofSeconds(3)),
            new Phase("writing the recovered cluster", Duration.ofMillis(300)),
            new Phase("starting the kubelet", Duration.ofMillis(500)),
            new Phase(RESTORE, Duration.ofSeconds(12)),
            new Phase(START, Duration.ofSeconds(25)));

    private static final int RANDOM_KILLS = 10;

    private final OuroProgram ouro = new OuroProgram(NAME);

    private Path left = Path.of("");

    private Optional<Saved> saved = Optional.empty();

    @BeforeAll
    void keepFor(@TempDir Path allTests) {
        left = allTests;
    }

    @AfterEach
    void down() {
        ouro.down();
    }

    @Test
    @Order(1)
    void aDestroyedMachineComesBackFromASnapshotTakenUnderLoadAndItsKey() throws Exception {
        comesBack(saved(), Instant.now());
    }

    /** While etcd is restored, and while the control plane starts on it. */
    @Test
    @Tag("long")
    @Order(2)
    void aRecoveryThatWasKilledLeavesNothingOrGoesOn() throws Exception {
        Saved lost = saved();
        reserve();
        kill(lost, RESTORE, Duration.ofSeconds(1));
        requireDownLeavesNothing();

        reserve();
        Instant begun = Instant.now();
        kill(lost, RESTORE, Duration.ofSeconds(2));
        kill(lost, START, Duration.ofSeconds(8));
        comesBack(lost, begun);
    }

    @Test
    @Order(3)
    @Tag("long")
    void oneThatWasKilledAtTenRandomMomentsGoesOn() throws Exception {
        Saved lost = saved();
        reserve();
        Instant begun = Instant.now();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int number = 1; number <= RANDOM_KILLS; number++) {
            Phase phase = PHASES.get(random.nextInt(PHASES.size()));
            System.err.println("seed " + seed + ", kill " + number);
            Duration delay = Duration.ofMillis(random.nextLong(phase.length().toMillis()));
            if (!kill(lost, phase.name(), delay)) {
                reserve();
            }
        }
        comesBack(lost, begun);
    }

    /** False when it had ended before. */
    private boolean kill(Saved lost, String phase, Duration delay) throws Exception {
        Kill kill = new ProgressKill(PHASES.stream().map(Phase::name).toList(), false)
                .run(ouro.upCommand(lost.recovery()), phase, delay);
        System.err.println(kill);
        return kill.hit().isPresent();
    }

    private void requireDownLeavesNothing() {
        Result result = ouro.run("down");
        assertThat(result.exitCode()).as(result.error()).isZero();
        assertThat(result.error()).contains("nothing is left");
        assertThat(SANDBOX).doesNotExist();
    }

    /** What render makes by default, secretbox, is the test above. */
    @Tag("long")
    @Order(4)
    @ParameterizedTest
    @ValueSource(strings = {"aescbc", "aesgcm", "identity"})
    void soDoesOneWithSecretsUnderEachOtherProvider(String provider) throws Exception {
        reserve();
        Path document = SANDBOX.resolve("cluster.yaml");
        ouro.up("--no-start");
        Files.writeString(
                document,
                Files.readString(document)
                        + (provider.equals("identity")
                                ? "  encryption: {enabled: false}\n"
                                : "  encryption: {provider: " + provider + "}\n"));
        Files.delete(ouro.nodeFile(OuroProgram.ASSETS + "/tls/encryption-config.yaml"));
        ouro.up();
        comesBack(destroy(provider), Instant.now());
    }

    private void reserve() throws IOException {
        ouro.down();
        Files.createDirectories(SANDBOX);
        Files.writeString(SANDBOX.resolve("sandbox.json"), RECORD);
    }

    /**
     * What is left of a destroyed cluster.
     *
     * @param keys its encryption configuration, if it had one
     * @param stored the canaries that it had acknowledged
     */
    private record Saved(Path snapshot, Optional<Path> keys, Set<String> stored) {
        String[] recovery() {
            return keys.map(file ->
                            new String[] {"--snapshot", snapshot.toString(), "--encryption-config", file.toString()})
                    .orElseGet(() -> new String[] {"--snapshot", snapshot.toString()});
        }
    }

    /** As render makes a cluster by default, destroyed once for all tests of its recovery. */
    private Saved saved() throws Exception {
        if (saved.isEmpty()) {
            reserve();
            ouro.up();
            saved = Optional.of(destroy("secretbox"));
        }
        return saved.get();
    }

    private Saved destroy(String provider) throws Exception {
        Saved lost;
        try (AdminApi api = new AdminApi(ouro.kubeconfig());
                Canaries canaries = new Canaries(api)) {
            canaries.create(CANARIES);
            for (int number = 0; number < SECRETS; number++) {
                assertThat(api.create(SECRETS_PATH, secret(number))).isTrue();
            }
            List<Future<Boolean>> writers = canaries.createUntilTheApiIsGone();
            Await.until(
                    "canaries are being written", () -> canaries.acknowledged().size() > CANARIES + 100);
            lost = save(left.resolve(provider), canaries.acknowledged());
            ouro.down();
            for (Future<Boolean> writer : writers) {
                assertThat(writer.get())
                        .as("a writer ends when the API is gone")
                        .isFalse();
            }
        }
        assertThat(SANDBOX).doesNotExist();
        return lost;
    }

    /** @param begun since when it is recovered; what runs then is of the new machine */
    private void comesBack(Saved lost, Instant begun) throws Exception {
        ouro.up(lost.recovery());
        System.err.println(
                "recovered in " + Duration.between(begun, Instant.now()).toSeconds() + " s");

        try (ControlPlane plane = new ControlPlane(ouro)) {
            Canaries.require(plane.api(), lost.stored());
            requireSecrets(plane.api());
            assertThat(plane.missingSince(begun)).isEmpty();
            try (Canaries more = new Canaries(plane.api(), "after-")) {
                more.create(100);
                more.requireAll();
            }
            controllersWork(plane.api());
        }
        // What serves is recovered; what the cluster has besides stays.
        ouro.kubectl("get", "-n", "kube-system", "daemonset/ouroboros-steward", "deployment/ouroboros-dns");
    }

    /** With etcd's own tool, as anybody may. Nothing else leaves the machine but the key. */
    private Saved save(Path directory, Set<String> stored) throws IOException {
        ouro.inNode(
                "etcdctl",
                "--endpoints=https://127.0.0.1:2379",
                "--cacert=/etc/kubernetes/etcd/server-ca.crt",
                "--cert=/etc/kubernetes/etcd/server.crt",
                "--key=/etc/kubernetes/etcd/server.key",
                "snapshot",
                "save",
                "/var/lib/ouroboros/saved.db");
        Files.createDirectories(directory);
        Path snapshot = Files.copy(ouro.nodeFile("/var/lib/ouroboros/saved.db"), directory.resolve("saved.db"));
        Path keys = ouro.nodeFile(OuroProgram.ASSETS + "/tls/encryption-config.yaml");
        Optional<Path> kept =
                Files.exists(keys) ? Optional.of(Files.copy(keys, directory.resolve("keys.yaml"))) : Optional.empty();
        return new Saved(snapshot, kept, stored);
    }

    private static ObjectNode secret(int number) {
        ObjectNode secret = JsonNodeFactory.instance.objectNode();
        secret.putObject("metadata")
                .put("name", "canary-" + number)
                .putObject("labels")
                .put("canary", "true");
        secret.putObject("stringData").put("password", "canary-" + number);
        return secret;
    }

    private static void requireSecrets(AdminApi api) throws InterruptedException {
        JsonNode secrets = api.get(SECRETS_PATH + "?labelSelector=canary").orElseThrow();
        assertThat(secrets.path("items")).hasSize(SECRETS);
        for (JsonNode secret : secrets.path("items")) {
            String password = new String(
                    Base64.getDecoder()
                            .decode(secret.path("data").path("password").asText()),
                    StandardCharsets.UTF_8);
            assertThat(password).isEqualTo(secret.path("metadata").path("name").asText());
        }
    }

    /** A new Deployment needs the controller manager, the scheduler and the kubelet, each with a view of today. */
    private void controllersWork(AdminApi api) throws Exception {
        String image = ControlPlane.keeperImage(ouro);
        ouro.kubectl("create", "deployment", "after", "--image=" + image, "--", "flock", "/tmp/lock", "/bin/sh");
        Await.until(
                "its pod has a node",
                () -> api.get("/api/v1/namespaces/default/pods?labelSelector=app%3Dafter")
                        .filter(pods ->
                                pods.path("items").path(0).at("/spec/nodeName").isTextual())
                        .isPresent());
    }

    /** Nobody is left who would schedule or replace a pod; the API still answers. */
    @Test
    @Order(5)
    @Tag("long")
    void controllerManagerAndSchedulerComeBackFromTheLiveApi() throws Exception {
        ouro.down();
        ouro.up();
        Path kubeconfig = ouro.kubeconfig();
        try (ControlPlane plane = new ControlPlane(ouro)) {
            removeKeeper(plane);
            Instant begun = Instant.now();
            ouro.kubectl(
                    "delete",
                    "pods",
                    "-n",
                    "kube-system",
                    "--force",
                    "--grace-period=0",
                    "--selector=k8s-app=" + SCHEDULER);
            ouro.kubectl(
                    "delete",
                    "pods",
                    "-n",
                    "kube-system",
                    "--force",
                    "--grace-period=0",
                    "--selector=k8s-app=" + CONTROLLER_MANAGER);
            recover("--kubeconfig", kubeconfig.toString());
            start();
            assertThat(plane.pods(CONTROLLER_MANAGER)).anyMatch(ControlPlane::isReady);
            assertThat(plane.pods(SCHEDULER)).anyMatch(ControlPlane::isReady);
            assertThat(plane.pods(API_SERVER)).anyMatch(ControlPlane::isReady);
            System.err.println(
                    "recovered in " + Duration.between(begun, Instant.now()).toSeconds() + " s");
        }
    }

    /** Nothing is left that serves the API; etcd remembers what was deleted. */
    @Test
    @Order(6)
    @Tag("long")
    void aDeletedApiServerComesBackFromTheLiveEtcd() throws Exception {
        ouro.down();
        ouro.up();
        Path kubeconfig = ouro.kubeconfig();
        String node = KubeconfigFile.read(kubeconfig, Optional.empty()).server().getHost();
        for (String name :
                List.of("etcd-client-ca.crt", "etcd-client.crt", "etcd-client.key", "encryption-config.yaml")) {
            Files.copy(ouro.nodeFile(OuroProgram.ASSETS + "/tls/" + name), left.resolve(name));
        }
        try (ControlPlane plane = new ControlPlane(ouro);
                Canaries canaries = new Canaries(plane.api())) {
            canaries.create(200);
            removeKeeper(plane);
            ouro.kubectl("delete", "daemonset", API_SERVER, "-n", "kube-system");
            Await.until(
                    "no API server is left",
                    () -> plane.node().processes(API_SERVER).isEmpty());
            recover(
                    "--etcd-servers=https://" + node + ":2379",
                    "--etcd-ca-path=" + left.resolve("etcd-client-ca.crt"),
                    "--etcd-certificate-path=" + left.resolve("etcd-client.crt"),
                    "--etcd-private-key-path=" + left.resolve("etcd-client.key"),
                    "--encryption-config=" + left.resolve("encryption-config.yaml"));
            start();
            canaries.requireAll();
            assertThat(plane.pods(API_SERVER)).anyMatch(ControlPlane::isReady);
        }
    }

    /** With all that it keeps: as long as it is there, nothing of the control plane stays lost. */
    private void removeKeeper(ControlPlane plane) throws Exception {
        plane.awaitRest();
        Set<String> keepers = plane.podIds(KEEPER);
        plane.addWords(KEEPER, "args", "--retire-grace=5s");
        plane.awaitOthers(KEEPER, keepers);
        plane.awaitRest();
        ouro.kubectl("delete", "daemonset", KEEPER, "-n", "kube-system");
        Await.until(
                "the keeper is gone",
                () -> plane.node().processes("flock").isEmpty()
                        && plane.node().processes("java").stream()
                                .noneMatch(process ->
                                        process.words().stream().anyMatch(word -> word.contains("/opt/keeper/"))));
    }

    private void recover(String... source) {
        String[] all = new String[source.length + 3];
        System.arraycopy(source, 0, all, 0, source.length);
        all[source.length] = "--recovery-dir";
        all[source.length + 1] = left.resolve("recovered").toString();
        all[source.length + 2] = "--yes";
        Result result = ouro.runPlain("recover", all);
        assertThat(result.exitCode()).as(result.error()).isZero();
    }

    private void start() throws IOException {
        Result result = ouro.run(
                List.of(
                        OuroProgram.CHECKOUT.resolve("ouro").toString(),
                        "exec",
                        "--name",
                        NAME,
                        ouro.nodeName(),
                        "--",
                        "ouro",
                        "start",
                        "--asset-dir",
                        "/run/ouroboros/host" + left.resolve("recovered")),
                Duration.ofMinutes(10));
        assertThat(result.exitCode()).as(result.error()).isZero();
    }
}
