package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.kubelet.KubeletLayout;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.sandbox.node.NodeLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Layer 0 on a control-plane node and a worker: kubelets get other settings, bad ones are taken back, with an API and without one. */
@Tag("e2e")
@Tag("long")
@Tag("alone")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class KubeletE2eTest {
    private static final String NAME = "e2e-kubelet";
    private static final String WORKER = NAME + "-2";

    /** One that ends at once is back within forty seconds, one that is never well within a hundred and thirty. */
    private static final Duration ENDS = Duration.ofSeconds(40);

    private static final Duration NEVER_WELL = Duration.ofSeconds(130);

    private final OuroProgram ouro = new OuroProgram(NAME);
    private final SandboxNodes nodes = new SandboxNodes(ouro);

    @BeforeAll
    void up() {
        ouro.up("--workers", "1");
        ouro.awaitConvergence();
    }

    @AfterAll
    void down() {
        ouro.down();
    }

    private Result set(String... options) {
        List<String> words = new ArrayList<>(List.of("set", "--name", NAME, "--settle", "5s"));
        words.addAll(List.of(options));
        return ouro.runPlain("kubelet", words.toArray(String[]::new));
    }

    private Map<String, JsonNode> status() throws IOException {
        Map<String, JsonNode> nodes = new TreeMap<>();
        Result said = ouro.runPlain("kubelet", "status", "--name", NAME, "-o", "json");
        new ObjectMapper()
                .readTree(said.output())
                .path("nodes")
                .forEach(node -> nodes.put(node.path("node").asText(), node));
        return nodes;
    }

    private String state(String node) throws IOException {
        return Optional.ofNullable(status().get(node))
                .orElseThrow()
                .path("state")
                .asText();
    }

    /** As the kubelet that runs says it. */
    private JsonNode configured(String node) throws IOException {
        return new ObjectMapper()
                .readTree(ouro.kubectl("get", "--raw", "/api/v1/nodes/" + node + "/proxy/configz"))
                .path("kubeletconfig");
    }

    /** How often each container that runs was started again. */
    private Map<String, Integer> restarts() throws IOException {
        Map<String, Integer> restarts = new TreeMap<>();
        ouro.kubectlJson("get", "pods", "-A")
                .path("items")
                .forEach(pod -> StreamSupport.stream(
                                pod.at("/status/containerStatuses").spliterator(), false)
                        .forEach(container -> restarts.put(
                                pod.at("/metadata/uid").asText()
                                        + container.path("name").asText(),
                                container.path("restartCount").asInt())));
        return restarts;
    }

    private String file(String node, String... names) {
        return ouro.runIn(node, "cat", KubeletLayout.path(names)).output().strip();
    }

    @Test
    @Order(1)
    void anotherSettingReachesEveryKubeletAndPodsGoOn() throws Exception {
        assertThat(status().values())
                .hasSize(2)
                .allSatisfy(node -> assertThat(node.path("state").asText()).isEqualTo("Running"));
        Map<String, Integer> before = restarts();

        try (NamespaceProbe clients = nodes.probeOn(WORKER, Duration.ofSeconds(5), Duration.ofMillis(100))) {
            Result done = set("--config", "maxPods=50", "--argument", "v=3");
            assertThat(done.exitCode()).as(done.error()).isZero();
            clients.requireNoFailedRequest();
        }

        for (String node : List.of(NAME, WORKER)) {
            assertThat(configured(node).path("maxPods").asInt()).as(node).isEqualTo(50);
            assertThat(state(node)).isEqualTo("Running");
            assertThat(nodes.isReady(node)).isTrue();
            assertThat(file(node, "outcomes", file(node, KubeletLayout.CURRENT)))
                    .isEqualTo("confirmed");
        }
        assertThat(restarts()).as("no container was started again").isEqualTo(before);
    }

    @Test
    @Order(2)
    void aKubeletThatDoesNotStartIsTakenBackAndNoOtherIsTouched() throws Exception {
        String ran = file(WORKER, KubeletLayout.CURRENT);
        Map<String, JsonNode> before = status();

        Result refused = set("--argument", "max-pods=none");

        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.error())
                .contains("kubelet of node " + WORKER, "its kubelet ended 3 times", "ouro kubelet rollback");
        assertThat(state(WORKER)).isEqualTo("Failed");
        assertThat(file(WORKER, KubeletLayout.CURRENT)).isEqualTo(ran);
        assertThat(status().get(NAME)).as("exactly one was touched").isEqualTo(before.get(NAME));
        assertThat(ouro.runPlain("kubelet", "status", "--name", NAME).exitCode())
                .isEqualTo(3);
        Await.sparingly("it is ready", () -> nodes.isReady(WORKER));

        Result back = ouro.runPlain("kubelet", "rollback", "--name", NAME, "--settle", "1s");
        assertThat(back.exitCode()).as(back.error()).isZero();
        assertThat(state(WORKER)).isEqualTo("Running");
        assertThat(configured(WORKER).path("maxPods").asInt()).isEqualTo(50);
    }

    @Test
    @Order(3)
    void whatCannotBeChangedUnderPodsIsRefused() throws Exception {
        Result refused = set("--node", WORKER, "--config", "cgroupDriver=systemd");

        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.error()).contains("cgroupDriver cannot be 'systemd'");
        assertThat(state(WORKER)).isEqualTo("Refused");
        assertThat(ouro.runPlain("kubelet", "rollback", "--name", NAME, "--settle", "1s")
                        .exitCode())
                .isZero();
    }

    @Test
    @Order(4)
    void aPowerCutInTheMiddleComesToTheSameEnd() throws Exception {
        ouro.kubectl(
                "annotate",
                "--overwrite",
                "node",
                WORKER,
                "ouroboros.dev/kubelet={\"config\":{\"maxPods\":60},\"arguments\":{\"v\":\"3\"}}");
        Await.until(
                "it is tried",
                () -> ouro.runIn(WORKER, "test", "-e", KubeletLayout.path("trying"))
                                .exitCode()
                        == 0);

        ouro.jsonPlain("reboot", WORKER, "-o", "json");

        Await.sparingly("it runs as is wished", () -> state(WORKER).equals("Running"));
        Await.sparingly("it is ready", () -> nodes.isReady(WORKER));
        assertThat(configured(WORKER).path("maxPods").asInt()).isEqualTo(60);
    }

    /** What the keeper or agent would have written; nobody is there to see how it ends. */
    private Instant tryWithoutAnApi(String name, String run) {
        String script = String.join(
                "\n",
                "cd " + KubeletLayout.DIRECTORY,
                "cp -a generations/$(cat current) generations/" + name,
                run,
                "echo " + name + " 120 >trial.part",
                "mv trial.part trial");
        assertThat(ouro.runIn(WORKER, "bash", "-ec", script).exitCode()).isZero();
        return Instant.now();
    }

    private void awaitTheWayBack(String name, String ran, Instant begun, Duration limit) throws Exception {
        Await.until(
                name + " is taken back",
                () -> file(WORKER, KubeletLayout.STARTED).startsWith(ran + " ")
                        && file(WORKER, "outcomes", name).startsWith("failed"));
        assertThat(Duration.between(begun, Instant.now())).as(name).isLessThan(limit);
        Await.until(
                "its kubelet is well",
                () -> ouro.runIn(WORKER, "bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/10248")
                                .exitCode()
                        == 0);
    }

    /** The only control-plane node is off. */
    @Test
    @Order(5)
    void theWayBackNeedsNoApi() throws Exception {
        String ran = file(WORKER, KubeletLayout.CURRENT);
        nodes.off(NAME);
        try {
            awaitTheWayBack("ends", ran, tryWithoutAnApi("ends", "echo 'exit 1' >generations/ends/run.sh"), ENDS);
            awaitTheWayBack(
                    "ill", ran, tryWithoutAnApi("ill", "echo '127.0.0.1 1' >generations/ill/healthz"), NEVER_WELL);
        } finally {
            nodes.on(NAME);
        }
        Await.sparingly(
                "the API serves",
                () -> ouro.runPlain("kubelet", "status", "--name", NAME).exitCode() == 0);
        Await.sparingly("it is ready", () -> nodes.isReady(WORKER));
        assertThat(configured(WORKER).path("maxPods").asInt()).isEqualTo(60);
    }

    /** A second build of the same release: an ELF program may have something behind it. */
    @Test
    @Order(6)
    void anotherProgramRunsAndIsWhatTheKernelSays(@TempDir Path directory) throws Exception {
        Path other = directory.resolve("kubelet");
        Files.copy(ouro.nodeFile(NodeLayout.BINARIES.resolve("kubelet").toString()), other);
        Files.write(other, new byte[] {0}, StandardOpenOption.APPEND);
        assertThat(other.toFile().setExecutable(true)).isTrue();

        Result done = set("--node", WORKER, "--program", other.toString());

        assertThat(done.exitCode()).as(done.error()).isZero();
        String digest = Sha256.hex(Files.readAllBytes(other));
        String process = file(WORKER, KubeletLayout.STARTED).split(" ", 3)[1];
        assertThat(ouro.runIn(WORKER, "readlink", "/proc/" + process + "/exe")
                        .output()
                        .strip())
                .isEqualTo(KubeletLayout.path(KubeletLayout.PROGRAMS, digest, "kubelet"));
        assertThat(configured(WORKER).path("maxPods").asInt()).isEqualTo(60);
        assertThat(file(NAME, KubeletLayout.CURRENT))
                .as("no other is touched")
                .isNotEqualTo(file(WORKER, KubeletLayout.CURRENT));
    }

    @Test
    @Order(7)
    void asTheNodesWereMade() throws Exception {
        Result done = set("--clear");
        assertThat(done.exitCode()).as(done.error()).isZero();

        for (String node : List.of(NAME, WORKER)) {
            assertThat(file(node, KubeletLayout.CURRENT)).isEqualTo(KubeletLayout.BASE);
            assertThat(configured(node).path("maxPods").asInt()).isEqualTo(110);
            Await.sparingly(
                    "nothing else is left on " + node,
                    () -> ouro.runIn(node, "ls", KubeletLayout.path(KubeletLayout.GENERATIONS))
                            .output()
                            .strip()
                            .equals(KubeletLayout.BASE));
        }
    }

    @Test
    @Order(7)
    void podsLeaveANodeBeforeWhatTheyHoldIsGivenOutAnew() {
        ouro.kubectl("cordon", NAME);
        ouro.kubectl("create", "deployment", "web", "--image=localhost/ouroboros/pause:1", "--replicas=2");
        ouro.kubectl("rollout", "status", "deployment", "web");
        ouro.kubectl("uncordon", NAME);
        assertThat(nodesOfWeb()).containsOnly(WORKER);

        Result done = set("--node", WORKER, "--config", "systemReserved={\"cpu\":\"50m\"}");

        assertThat(done.exitCode()).as(done.error()).isZero();
        assertThat(done.error()).contains("node " + WORKER + " to be drained for systemReserved");
        assertThat(nodesOfWeb()).containsOnly(NAME);
        assertThat(ouro.kubectl("get", "node", WORKER, "-o", "jsonpath={.spec.unschedulable}"))
                .isEmpty();
        ouro.kubectl("rollout", "status", "deployment", "web");
        ouro.kubectl("delete", "deployment", "web");
    }

    private List<String> nodesOfWeb() {
        return List.of(ouro.kubectl("get", "pods", "-l", "app=web", "-o", "jsonpath={.items[*].spec.nodeName}")
                .split(" "));
    }
}
