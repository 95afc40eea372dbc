package dev.ouroboros.e2e;

import static dev.ouroboros.e2e.ControlPlane.API_SERVER;
import static dev.ouroboros.e2e.ControlPlane.CONTROLLER_MANAGER;
import static dev.ouroboros.e2e.ControlPlane.KEEPER;
import static dev.ouroboros.e2e.ControlPlane.SCHEDULER;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import java.util.Set;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The only machine of a cluster is destroyed: a snapshot file and the encryption key bring it back. */
@Tag("e2e")
final class RecoveryE2eTest {
    private static final String NAME = "e2e-recovery";
    private static final int CANARIES = 5000;
    private static final int SECRETS = 50;
    private static final String SECRETS_PATH = "/api/v1/namespaces/default/secrets";

    /** Sandboxes get the lowest number that is free: while this one is down, no other takes its network. */
    private static final String RECORD =
            "{\"subnet\": 211, \"created\": \"2026-01-01T00:00:00Z\", \"complete\": false}";

    private final Ouro ouro = new Ouro(NAME);

    @TempDir
    private Path left = Path.of("");

    @AfterEach
    void down() {
        ouro.down();
    }

    @Test
    void aDestroyedMachineComesBackFromASnapshotTakenUnderLoadAndItsKey() throws Exception {
        reserve();
        ouro.up();
        comesBack();
    }

    /** What render makes by default, secretbox, is the test above. */
    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"aescbc", "aesgcm", "identity"})
    void soDoesOneWithSecretsUnderEachOtherProvider(String provider) throws Exception {
        reserve();
        Path document = Path.of("/var/lib/ouroboros/sandboxes", NAME, "cluster.yaml");
        ouro.up("--no-start");
        Files.writeString(
                document,
                Files.readString(document)
                        + (provider.equals("identity")
                                ? "  encryption: {enabled: false}\n"
                                : "  encryption: {provider: " + provider + "}\n"));
        Files.delete(ouro.nodeFile(Ouro.ASSETS + "/tls/encryption-config.yaml"));
        ouro.up();
        comesBack();
    }

    private void reserve() throws IOException {
        ouro.down();
        Path directory = Files.createDirectories(Path.of("/var/lib/ouroboros/sandboxes", NAME));
        Files.writeString(directory.resolve("sandbox.json"), RECORD);
    }

    private void comesBack() throws Exception {
        Set<String> stored;
        try (Api api = new Api(ouro.kubeconfig());
                Canaries canaries = new Canaries(api)) {
            canaries.create(CANARIES);
            for (int number = 0; number < SECRETS; number++) {
                assertThat(api.create(SECRETS_PATH, secret(number))).isTrue();
            }
            List<Future<Boolean>> writers = canaries.createUntilTheApiIsGone();
            Await.until(
                    "canaries are being written", () -> canaries.acknowledged().size() > CANARIES + 100);
            stored = canaries.acknowledged();
            save();
            ouro.down();
            for (Future<Boolean> writer : writers) {
                assertThat(writer.get())
                        .as("a writer ends when the API is gone")
                        .isFalse();
            }
        }
        assertThat(Path.of("/var/lib/ouroboros/sandboxes", NAME)).doesNotExist();

        Instant begun = Instant.now();
        ouro.up(recovery());
        System.err.println(
                "recovered in " + Duration.between(begun, Instant.now()).toSeconds() + " s");

        try (ControlPlane plane = new ControlPlane(ouro)) {
            Canaries.require(plane.api(), stored);
            requireSecrets(plane.api());
            assertThat(plane.missingSince(begun)).isEmpty();
            try (Canaries more = new Canaries(plane.api(), "after-")) {
                more.create(100);
                more.requireAll();
            }
            controllersWork(plane.api());
        }
    }

    private String[] recovery() {
        Path snapshot = left.resolve("saved.db");
        Path keys = left.resolve("keys.yaml");
        return Files.exists(keys)
                ? new String[] {"--snapshot", snapshot.toString(), "--encryption-config", keys.toString()}
                : new String[] {"--snapshot", snapshot.toString()};
    }

    /** With etcd's own tool, as anybody may. Nothing else leaves the machine but the key. */
    private void save() throws IOException {
        ouro.inNode(
                "etcdctl",
                "--endpoints=https://127.0.0.1:2379",
                "--cacert=/etc/kubernetes/etcd/server-ca.crt",
                "--cert=/etc/kubernetes/etcd/server.crt",
                "--key=/etc/kubernetes/etcd/server.key",
                "snapshot",
                "save",
                "/var/lib/ouroboros/saved.db");
        Files.copy(ouro.nodeFile("/var/lib/ouroboros/saved.db"), left.resolve("saved.db"));
        Path keys = ouro.nodeFile(Ouro.ASSETS + "/tls/encryption-config.yaml");
        if (Files.exists(keys)) {
            Files.copy(keys, left.resolve("keys.yaml"));
        }
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

    private static void requireSecrets(Api api) throws InterruptedException {
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
    private void controllersWork(Api api) throws Exception {
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
    @Tag("long")
    void aDeletedApiServerComesBackFromTheLiveEtcd() throws Exception {
        ouro.down();
        ouro.up();
        Path kubeconfig = ouro.kubeconfig();
        String node = KubeconfigFile.read(kubeconfig, Optional.empty()).server().getHost();
        for (String name :
                List.of("etcd-client-ca.crt", "etcd-client.crt", "etcd-client.key", "encryption-config.yaml")) {
            Files.copy(ouro.nodeFile(Ouro.ASSETS + "/tls/" + name), left.resolve(name));
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
                () -> plane.node().processes("java").isEmpty()
                        && plane.node().processes("flock").isEmpty());
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
                        Ouro.CHECKOUT.resolve("ouro").toString(),
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
