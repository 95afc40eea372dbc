package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.node.process.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** A sandbox of several nodes: they join, lose their power, come back, and go. */
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class NodesE2eTest {
    private static final String NAME = "e2e-nodes";
    private static final String WORKER = NAME + "-2";

    private final OuroProgram ouro = new OuroProgram(NAME);

    @BeforeAll
    void up() {
        ouro.up("--workers", "1");
    }

    @AfterAll
    void down() {
        ouro.down();
    }

    @Test
    @Order(1)
    void aWorkerJoinsAndRunsPodsWhoseLogsCanBeRead() throws Exception {
        assertThat(names(ouro.json("nodes"))).containsExactly(NAME, WORKER);
        assertThat(isReady(NAME)).isTrue();
        assertThat(isReady(WORKER)).isTrue();
        assertThat(ouro.kubectl("get", "node", WORKER, "-o", "jsonpath={.metadata.labels}"))
                .doesNotContain("node-role.kubernetes.io");

        String image = ouro.kubectl(
                        "get",
                        "deployment",
                        ControlPlane.SCHEDULER,
                        "-n",
                        "kube-system",
                        "-o",
                        "jsonpath={.spec.template.spec.containers[0].image}")
                .strip();
        ouro.kubectl(
                "run",
                "said",
                "--image=" + image,
                "--restart=Never",
                "--overrides={\"spec\":{\"nodeName\":\"" + WORKER + "\"}}",
                "--command",
                "--",
                "kube-scheduler",
                "--version");
        Await.until("the pod has ended", () -> phase("said").equals("Succeeded"));
        assertThat(ouro.kubectl("logs", "said")).contains("Kubernetes v");
        assertThat(ouro.runPlain("exec", WORKER, "--", "kubectl", "get", "nodes", "-o", "name")
                        .output())
                .as("a worker's shell is set up too")
                .contains("node/" + WORKER);
        assertThat(ouro.up().error()).contains("nothing to do");
    }

    /** The cluster's DNS runs on one node: from each its Service leads to its pod. */
    @Test
    @Order(2)
    void podsAreReachedFromEveryNode() throws Exception {
        JsonNode pod = ouro.kubectlJson("get", "pods", "-n", "kube-system", "-l", "k8s-app=kube-dns")
                .at("/items/0");
        String address = pod.at("/status/podIP").asText();
        int port = pod.at("/spec/containers/0/ports/0/containerPort").asInt();
        for (String node : List.of(NAME, WORKER)) {
            Await.until("the DNS pod answers " + node, () -> opens(node, address, port));
        }
        ouro.jsonPlain("reboot", WORKER, "-o", "json");
        Await.until("and so it does after a power cut", () -> opens(WORKER, address, port));
    }

    private boolean opens(String node, String address, int port) {
        return ouro.runPlain(
                                "exec",
                                node,
                                "--",
                                "timeout",
                                "3",
                                "bash",
                                "-c",
                                "exec 3<>/dev/tcp/" + address + "/" + port)
                        .exitCode()
                == 0;
    }

    @Test
    @Order(3)
    void aNodeIsAddedWithANameOfItsOwnAndRemoved() throws Exception {
        JsonNode added = ouro.jsonPlain("node", "add", "blue", "--name", NAME, "-o", "json");

        assertThat(added.path("outcome").asText()).isEqualTo("added");
        assertThat(isReady("blue")).isTrue();
        Result again = ouro.runPlain("node", "add", "blue", "--name", NAME);
        assertThat(again.exitCode()).isEqualTo(2);
        assertThat(again.error()).contains("node blue").contains("is there already");
        Result first = ouro.runPlain("node", "remove", NAME);
        assertThat(first.exitCode()).isEqualTo(2);
        assertThat(first.error()).contains("ouro down --name " + NAME);

        JsonNode removed = ouro.jsonPlain("node", "remove", "blue", "--name", NAME, "-o", "json");

        assertThat(removed.path("outcome").asText()).isEqualTo("removed");
        assertThat(names(ouro.json("nodes"))).containsExactly(NAME, WORKER);
        assertThat(ouro.kubectl("get", "nodes", "-o", "name").lines())
                .containsExactlyInAnyOrder("node/" + NAME, "node/" + WORKER);
    }

    @Test
    @Tag("long")
    @Order(4)
    void aNodeThatIsOffStaysOffAndIsReadyAgainWhenItIsOn() throws Exception {
        ouro.jsonPlain("node", "off", WORKER, "-o", "json");
        assertThat(ouro.json("nodes").path(1).path("state").asText()).isEqualTo("stopped");
        Await.until("the API knows that it is off", () -> !isReady(WORKER));

        assertThat(ouro.jsonPlain("node", "on", WORKER, "-o", "json").has("kubeletStartedAt"))
                .isTrue();

        Await.until("it is ready again", () -> isReady(WORKER));
    }

    @Test
    @Order(5)
    void upBootsWhatIsOff() throws Exception {
        String before = bootId(WORKER);
        ouro.jsonPlain("node", "off", WORKER, "-o", "json");
        ouro.jsonPlain("node", "off", NAME, "-o", "json");

        assertThat(ouro.up().error()).contains("is up");

        assertThat(isReady(WORKER)).isTrue();
        assertThat(bootId(WORKER)).as("it is ready as it runs now").isNotEqualTo(before);
        ouro.json("nodes")
                .forEach(node -> assertThat(node.path("state").asText()).isEqualTo("running"));
    }

    private String bootId(String node) {
        return ouro.kubectl("get", "node", node, "-o", "jsonpath={.status.nodeInfo.bootID}")
                .strip();
    }

    private static List<String> names(JsonNode nodes) {
        List<String> names = new ArrayList<>();
        nodes.forEach(node -> names.add(node.path("node").asText()));
        return names;
    }

    private String phase(String pod) {
        return ouro.kubectl("get", "pod", pod, "-o", "jsonpath={.status.phase}").strip();
    }

    private boolean isReady(String node) throws Exception {
        JsonNode conditions = ouro.kubectlJson("get", "node", node).at("/status/conditions");
        return StreamSupport.stream(conditions.spliterator(), false)
                .anyMatch(condition -> condition.path("type").asText().equals("Ready")
                        && condition.path("status").asText().equals("True"));
    }
}
