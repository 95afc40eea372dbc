package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.node.process.Result;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Rotations on a real cluster, with the command killed in the middle and run again, while new, pooled and watching clients ask
 * every 50 ms and a Secret is read over and over: none of them ever fails.
 */
@Tag("e2e")
@Tag("alone")
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class RotationE2eTest {
    private static final String SYSTEM = "--namespace=kube-system";
    private static final String ENCRYPTION_FILE = "tls/encryption-config.yaml";
    /** What stands before a value in etcd, then the key's name; render's default provider. */
    private static final String STORED = "k8s:enc:secretbox:v1:";

    private static final Duration LIMIT = Duration.ofMinutes(12);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final OuroProgram ouro = new OuroProgram("e2e-rotation");

    @BeforeAll
    void up() {
        ouro.down();
        ouro.up();
        ouro.kubectl("create", "secret", "generic", "treasure", "--from-literal=what=gold");
    }

    @AfterAll
    void down() {
        ouro.down();
    }

    @Test
    @Order(1)
    void theEncryptionKeyIsExchangedThoughTheCommandIsKilledInTheMiddle() throws Exception {
        assertThat(etcdValue("/registry/secrets/default/treasure")).startsWith(STORED + "key1:");
        int secrets = ouro.kubectlJson("get", "secrets", "--all-namespaces")
                .path("items")
                .size();
        try (Availability availability = Availability.of(ouro.kubeconfig());
                Reading reading = new Reading()) {
            killWhenItSays("kube-apiserver writes with key key2", "rotate-encryption-key");

            JsonNode outcome = finished("rotate-encryption-key");

            assertThat(outcome.path("key").asText()).isEqualTo("key2");
            assertThat(outcome.path("rewritten").asInt()).isGreaterThanOrEqualTo(secrets);
            reading.requireNoFailure();
            availability.requireNoFailedRequest();
        }
        assertThat(keysInEtcd()).isNotEmpty().allMatch(value -> value.startsWith(STORED + "key2:"));
        String file = secretFile("encryption-config.yaml");
        assertThat(file).contains("name: key2").doesNotContain("key1").contains("identity: {}");
        assertThat(asset(ENCRYPTION_FILE)).isEqualTo(file);
        assertThat(asset("tls/encryption-config.before-key2.yaml")).contains("name: key1");
    }

    @Test
    @Order(2)
    void theServiceAccountKeyIsExchangedThoughTheCommandIsKilledInTheMiddle() throws Exception {
        String old = secretFile("service-account.pub");
        String oldToken = tokenOfDefault();
        try (Availability availability = Availability.of(ouro.kubeconfig());
                Reading reading = new Reading()) {
            killWhenItSays("kube-apiserver signs tokens", "rotate-service-account-key");
            assertThat(canAuthenticate(oldToken))
                    .as("an old token while both keys are accepted")
                    .isTrue();

            // The cluster's own pods with a token are restarted as anybody's.
            assertThat(outcome(3, "rotate-service-account-key").path("finished").asBoolean())
                    .isFalse();
            for (String own : List.of("daemonset/ouroboros-steward", "deployment/ouroboros-dns")) {
                ouro.kubectl("rollout", "restart", own, SYSTEM);
                ouro.kubectl("rollout", "status", own, SYSTEM, "--timeout=3m");
            }
            JsonNode outcome = finished("rotate-service-account-key");

            String key = outcome.path("key").asText();
            assertThat(keyOf(tokenOfDefault())).isEqualTo(key);
            reading.requireNoFailure();
            availability.requireNoFailedRequest();
        }
        String now = secretFile("service-account.pub");
        assertThat(now).isNotEqualTo(old).containsOnlyOnce("BEGIN PUBLIC KEY");
        assertThat(asset("tls/service-account.pub")).isEqualTo(now);
        assertThat(canAuthenticate(oldToken)).as("an old token afterwards").isFalse();
        assertThat(canAuthenticate(tokenOfDefault())).isTrue();
    }

    @Test
    @Order(3)
    void aChangeIsPausedResumedAndTakenBack() throws Exception {
        change("pause");
        ouro.kubectl("set", "env", "daemonset/kube-apiserver", SYSTEM, "GOMAXPROCS=2");
        Await.until("it is paused", () -> state().equals("Paused"));
        change("resume");
        Await.until("it goes on", () -> state().equals("Proving"));
        change("abort");
        Await.until("it is taken back", () -> state().equals("Done"));
        assertThat(ouro.kubectl("get", "daemonset/kube-apiserver", SYSTEM, "-o", "yaml"))
                .doesNotContain("GOMAXPROCS");
    }

    @Test
    @Order(4)
    void theFrontProxysAuthorityIsExchangedUnderAnAggregatedServer() throws Exception {
        String former = secretFile("front-proxy-ca.crt");
        List<String> proxy = proxyCertificate();
        AggregatedServer server = new AggregatedServer(ouro);
        server.begin();
        assertThat(asSomebody(proxy))
                .as("who shows the former certificate is believed")
                .isEqualTo("200");
        try (Availability availability = Availability.of(ouro.kubeconfig());
                AggregatedServer.Asking asking = server.ask()) {
            killWhenItSays("kube-apiserver trusts authority", "rotate-authority", "front-proxy");
            JsonNode trusted = outcome(3, "rotate-authority", "front-proxy");

            assertThat(trusted.path("finished").asBoolean()).isFalse();
            assertThat(secretFile("front-proxy-ca.crt")).startsWith(former).hasSizeGreaterThan(former.length());
            assertThat(asSomebody(proxy)).as("until the former authority goes").isEqualTo("200");
            server.requireAvailable();
            outcome(0, "rotate-authority", "front-proxy", "--take-back");
            assertThat(secretFile("front-proxy-ca.crt")).isEqualTo(former);
            server.requireBelieves(former);
            outcome(3, "rotate-authority", "front-proxy");
            server.requireAvailable();

            JsonNode outcome = outcome(0, "rotate-authority", "front-proxy", "--finish");

            assertThat(outcome.path("key")).isNotEqualTo(trusted.path("key"));
            asking.requireNoFailure();
            availability.requireNoFailedRequest();
        }
        String now = secretFile("front-proxy-ca.crt");
        assertThat(now).isNotEqualTo(former).containsOnlyOnce("BEGIN CERTIFICATE");
        assertThat(asset("tls/front-proxy-ca.crt")).isEqualTo(now);
        assertThat(asSomebody(proxy)).as("the former certificate afterwards").isIn("401", "403");
        server.requireBelieves(now);
    }

    /** Files on the node with what API servers show to aggregated ones: certificate and key. */
    private List<String> proxyCertificate() throws IOException {
        List<String> files = new ArrayList<>();
        for (String name : List.of("front-proxy-client.crt", "front-proxy-client.key")) {
            Files.writeString(ouro.nodeFile("/root/" + name), secretFile(name));
            files.add("/root/" + name);
        }
        return files;
    }

    /** As which status the API server answers who says that an administrator asks. */
    private String asSomebody(List<String> certificateAndKey) {
        return status(
                "/api/v1/nodes",
                "--cert",
                certificateAndKey.getFirst(),
                "--key",
                certificateAndKey.getLast(),
                "--header",
                "X-Remote-User: somebody",
                "--header",
                "X-Remote-Group: system:masters");
    }

    /** Reads the Secret on and on, through the API as its clients do. */
    private final class Reading implements AutoCloseable {
        private final AdminApi api = new AdminApi(ouro.kubeconfig());
        private final Thread thread;
        private volatile boolean ended;
        private final AtomicInteger read = new AtomicInteger();
        private volatile String failure = "";

        Reading() {
            thread = Thread.ofVirtual().start(() -> {
                try {
                    while (!ended) {
                        // A server that stops may ask to be asked again, which every client of Kubernetes does.
                        String value = value().or(this::valueAgain).orElse("nothing");
                        if (!value.equals("Z29sZA==")) {
                            failure = "after " + read.get() + " times: " + value;
                        }
                        read.incrementAndGet();
                        Thread.sleep(Duration.ofMillis(100));
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }

        private Optional<String> value() {
            try {
                return api.get("/api/v1/namespaces/default/secrets/treasure")
                        .map(secret -> secret.path("data").path("what").asText());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            }
        }

        private Optional<String> valueAgain() {
            try {
                Thread.sleep(Duration.ofSeconds(1));
                return value();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            }
        }

        void requireNoFailure() {
            assertThat(failure).isEmpty();
            assertThat(read.get()).isGreaterThan(100);
        }

        @Override
        public void close() {
            ended = true;
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            api.close();
        }
    }

    private List<String> changeCommand(String verb, String... arguments) {
        List<String> command = ouro.command("exec");
        command.addAll(List.of(ouro.nodeName(), "--", "ouro", "change", verb));
        command.addAll(List.of(arguments));
        return command;
    }

    private void change(String verb) {
        Result result = ouro.run(changeCommand(verb), Duration.ofMinutes(1));
        assertThat(result.exitCode()).as(result.error()).isZero();
    }

    private JsonNode finished(String verb) throws IOException {
        JsonNode outcome = outcome(0, verb);
        assertThat(outcome.path("finished").asBoolean()).isTrue();
        return outcome;
    }

    private JsonNode outcome(int exitCode, String verb, String... arguments) throws IOException {
        List<String> command = changeCommand(verb, arguments);
        command.addAll(List.of("--asset-dir", OuroProgram.ASSETS, "-o", "json"));
        Result result = ouro.run(command, LIMIT);
        assertThat(result.exitCode())
                .as("%s%s", result.output(), result.error())
                .isEqualTo(exitCode);
        return JSON.readTree(result.output());
    }

    private void killWhenItSays(String said, String verb, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = changeCommand(verb, arguments);
        command.addAll(List.of("--asset-dir", OuroProgram.ASSETS));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        boolean hit = false;
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null && !hit; line = lines.readLine()) {
                System.err.println(line);
                hit = line.startsWith(said);
            }
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
        assertThat(hit).as("it said '%s'", said).isTrue();
    }

    private String state() throws IOException {
        return ouro.kubectlJson("get", "daemonset/kube-apiserver", SYSTEM)
                .path("metadata")
                .path("annotations")
                .path("ouroboros.dev/change-state")
                .asText();
    }

    /** A file of the Secret that the API server's template mounts. */
    private String secretFile(String key) throws IOException {
        for (JsonNode volume :
                ouro.kubectlJson("get", "daemonset/kube-apiserver", SYSTEM).at("/spec/template/spec/volumes")) {
            String name = volume.path("secret").path("secretName").asText();
            if (!name.isEmpty()) {
                return decoded(ouro.kubectlJson("get", "secret", name, SYSTEM)
                        .path("data")
                        .path(key)
                        .asText());
            }
        }
        throw new AssertionError("the template mounts no Secret");
    }

    private String asset(String path) throws IOException {
        return Files.readString(ouro.nodeFile(OuroProgram.ASSETS + "/" + path));
    }

    /** Of the Secret that new pods of the ServiceAccount get; since 1.24 (KEP-2799) there is none, and one is asked for. */
    private String tokenOfDefault() throws IOException {
        String name = ouro.kubectlJson("get", "serviceaccount", "default")
                .path("secrets")
                .path(0)
                .path("name")
                .asText();
        if (name.isEmpty()) {
            return ouro.kubectl("create", "token", "default").strip();
        }
        return decoded(ouro.kubectlJson("get", "secret", name)
                .path("data")
                .path("token")
                .asText());
    }

    private static String keyOf(String token) throws IOException {
        byte[] head = Base64.getUrlDecoder().decode(token.substring(0, token.indexOf('.')));
        return JSON.readTree(head).path("kid").asText();
    }

    private boolean canAuthenticate(String token) {
        return status("/api", "--header", "Authorization: Bearer " + token).equals("200");
    }

    private String status(String path, String... options) {
        List<String> command =
                nodeCommand("curl", "--insecure", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}");
        command.addAll(List.of(options));
        command.add("https://127.0.0.1:6443" + path);
        return ouro.run(command, Duration.ofSeconds(20)).output();
    }

    private List<String> nodeCommand(String... words) {
        List<String> command = ouro.command("exec");
        command.addAll(List.of(ouro.nodeName(), "--"));
        command.addAll(List.of(words));
        return command;
    }

    private static String decoded(String base64) {
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    }

    private String etcdValue(String key) {
        return etcdctl("get " + key + " --print-value-only");
    }

    /** The beginnings of all Secrets as etcd has them. */
    private List<String> keysInEtcd() {
        List<String> values = new ArrayList<>();
        for (String line :
                etcdctl("get /registry/secrets/ --prefix --write-out=json").split("\"value\":\"", -1)) {
            if (!line.startsWith("{")) {
                values.add(new String(
                        Base64.getDecoder().decode(line.substring(0, line.indexOf('"'))), StandardCharsets.ISO_8859_1));
            }
        }
        return values;
    }

    private String etcdctl(String arguments) {
        String tls = OuroProgram.ASSETS + "/tls/";
        return ouro.inNode(
                "sh",
                "-c",
                "ETCDCTL_API=3 etcdctl --endpoints=https://127.0.0.1:2379 --cacert=" + tls
                        + "etcd-client-ca.crt --cert=" + tls + "etcd-client.crt --key=" + tls + "etcd-client.key "
                        + arguments);
    }
}
