package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * A sandbox of three control-plane nodes and a worker: nodes join, lose their power, come back, become ones of the control plane and cease to be,
 * and clients on each get to a server that serves.
 */
@Tag("e2e")
@Tag("alone")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class NodesE2eTest {
    private static final String NAME = "e2e-nodes";
    private static final String SECOND = NAME + "-2";
    private static final String THIRD = NAME + "-3";
    private static final String WORKER = NAME + "-4";
    private static final List<String> ALL = List.of(NAME, SECOND, THIRD, WORKER);

    /** Four seconds when a node is lost and six when a server stands still, on a machine with nothing else to do, and room for one with. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    /** For an answer; who gets none asks again. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final Duration INTERVAL = Duration.ofMillis(50);

    private final OuroProgram ouro = new OuroProgram(NAME);

    @BeforeAll
    void up() {
        ouro.up("--control-planes", "3", "--workers", "1");
    }

    @AfterAll
    void down() {
        ouro.down();
    }

    @Test
    @Order(1)
    void aWorkerJoinsAndRunsPodsWhoseLogsCanBeRead() throws Exception {
        assertThat(names(ouro.json("nodes"))).containsExactlyElementsOf(ALL);
        for (String node : ALL) {
            assertThat(isReady(node)).as(node).isTrue();
        }
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
        assertThat(ouro.up("--control-planes", "3", "--workers", "1").error()).contains("nothing to do");
    }

    @Test
    @Order(2)
    void threeControlPlaneNodesServeWithAnEtcdEach() throws Exception {
        assertThat(servers()).containsExactlyInAnyOrder(address(NAME), address(SECOND), address(THIRD));
        assertThat(proven()).as("as who sends clients there is told").isEqualTo(Set.copyOf(servers()));
        assertThat(ouro.runPlain("exec", NAME, "--", "etcdctl", "member", "list")
                        .output()
                        .lines())
                .hasSize(3)
                .allMatch(line -> line.contains("started"));
        for (String leader : List.of(ControlPlane.CONTROLLER_MANAGER, ControlPlane.SCHEDULER)) {
            Await.until(
                    "two of " + leader + " are ready",
                    () -> ouro.kubectlJson("get", "deployment", leader, "-n", "kube-system")
                                    .at("/status/readyReplicas")
                                    .asInt()
                            == 2);
        }
        Result refused = ouro.runPlain("node", "remove", SECOND, "--name", NAME);
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.error()).contains("runs a member of etcd");
    }

    /** The cluster's DNS runs on one node: from each its Service leads to its pod. */
    @Test
    @Order(3)
    void podsAreReachedFromEveryNode() throws Exception {
        JsonNode pod = ouro.kubectlJson("get", "pods", "-n", "kube-system", "-l", "k8s-app=kube-dns")
                .at("/items/0");
        String address = pod.at("/status/podIP").asText();
        int port = pod.at("/spec/containers/0/ports/0/containerPort").asInt();
        for (String node : List.of(NAME, SECOND, WORKER)) {
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
    @Order(4)
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
        assertThat(names(ouro.json("nodes"))).containsExactlyElementsOf(ALL);
        assertThat(ouro.kubectl("get", "nodes", "-o", "name").lines())
                .containsExactlyInAnyOrderElementsOf(
                        ALL.stream().map(node -> "node/" + node).toList());
    }

    @Test
    @Order(5)
    void clientsLeaveAServerThatStandsStill() throws Exception {
        long server = apiServerAt(address(SECOND));
        try (NamespaceProbe clients = probeOn(WORKER)) {
            stand("STOP", server);
            try {
                Await.until("the worker leaves it", () -> !dealtTo(WORKER).contains(address(SECOND)));
                requireAnswers(WORKER);
            } finally {
                stand("CONT", server);
            }
            assertThat(clients.longestWait()).isLessThan(LONGEST_WAIT);
        }
        Await.until("it serves again", () -> dealtTo(WORKER).contains(address(SECOND)));
    }

    @Test
    @Order(6)
    void clientsLeaveANodeThatIsLostAndItComesBack() throws Exception {
        try (NamespaceProbe onWorker = probeOn(WORKER);
                NamespaceProbe onThird = probeOn(THIRD)) {
            ouro.jsonPlain("node", "off", SECOND, "-o", "json");
            Await.until("the worker leaves it", () -> !dealtTo(WORKER).contains(address(SECOND)));
            requireAnswers(WORKER);
            requireAnswers(THIRD);
            assertThat(onWorker.longestWait()).isLessThan(LONGEST_WAIT);
            assertThat(onThird.longestWait()).isLessThan(LONGEST_WAIT);
        }
        assertThat(servers()).as("membership is not health").contains(address(SECOND));
        assertThat(proven()).as("clients are not sent there").containsExactlyInAnyOrder(address(NAME), address(THIRD));

        ouro.jsonPlain("node", "on", SECOND, "-o", "json");
        Await.until("it serves again", () -> dealtTo(WORKER).contains(address(SECOND)));
        Await.until("it is ready again", () -> isReady(SECOND));
    }

    /** Its kubelet dials the first node, which is off: the static copy of its agent leads it to others. */
    @Test
    @Order(7)
    void aWorkerBootsWhileTheServerThatItDialsIsGone() throws Exception {
        String before = bootId(WORKER);
        ouro.jsonPlain("node", "off", WORKER, "-o", "json");
        ouro.jsonPlain("node", "off", NAME, "-o", "json");
        ouro.jsonPlain("node", "on", WORKER, "-o", "json");

        Await.until("it is ready as it runs now", () -> {
            String told = kubectlOn(
                    THIRD,
                    "get node " + WORKER
                            + " -o jsonpath='{.status.nodeInfo.bootID}{.status.conditions[?(@.type==\"Ready\")].status}'");
            return told.endsWith("True") && !told.startsWith(before);
        });
        Await.until(
                "its agent is the DaemonSet's again",
                () -> kubectlOn(
                                THIRD,
                                "-n kube-system get pods -l k8s-app=ouroboros-node-agent"
                                        + " --field-selector spec.nodeName=" + WORKER
                                        + " -o jsonpath='{.items[*].status.conditions[?(@.type==\"Ready\")].status}'")
                        .equals("True"));

        ouro.jsonPlain("node", "on", NAME, "-o", "json");
        Await.until("the first one serves again", () -> dealtTo(WORKER).contains(address(NAME)));
        Await.until("it is ready again", () -> isReady(NAME));
    }

    /** Whoever is cut off from the majority writes nothing, wipes nothing and is missed by nobody. */
    @Test
    @Order(8)
    void clientsLeaveANodeThatIsSplitOffAndItComesBack() throws Exception {
        try (NamespaceProbe onWorker = probeOn(WORKER)) {
            ouro.jsonPlain("net", "split", SECOND, String.join(",", NAME, THIRD, WORKER), "--name", NAME, "-o", "json");
            try {
                Await.until("the worker leaves it", () -> !dealtTo(WORKER).contains(address(SECOND)));
                requireAnswers(WORKER);
                assertThat(servers())
                        .as("membership is not health")
                        .containsExactlyInAnyOrder(address(NAME), address(SECOND), address(THIRD));
                Await.until("the others miss it", () -> !isReady(SECOND));
                Await.until(
                        "the Service leads to those that are there",
                        () -> servers().equals(Set.of(address(NAME), address(THIRD))));
                assertThat(keysOn(SECOND)).isNotEmpty();
            } finally {
                ouro.jsonPlain("net", "heal", "--name", NAME, "-o", "json");
            }
            assertThat(onWorker.longestWait()).isLessThan(LONGEST_WAIT);
        }
        Await.until("the Service leads there again", () -> servers().contains(address(SECOND)));
        Await.until("it serves again", () -> dealtTo(WORKER).contains(address(SECOND)));
        Await.until("it is ready again", () -> isReady(SECOND));
        requireAnswers(SECOND);
    }

    /** No certificate is made anew and nothing is run on the node: a label is all. */
    @Test
    @Order(9)
    void aLabelMakesAControlPlaneNodeAndUnmakesIt() throws Exception {
        String role = role();
        ouro.kubectl("label", "node", WORKER, role + "=");
        Await.until("the Service leads there", () -> servers().contains(address(WORKER)));
        try (NamespaceProbe clients = probeOn(WORKER)) {
            Await.until(
                    "its own server has its clients",
                    () -> balancerOf(WORKER, 26445).equals(Set.of(address(WORKER))));
            Await.until("its API server is saved", () -> !keysOn(WORKER).isEmpty());
            moveTo(WORKER, ControlPlane.CONTROLLER_MANAGER);
            Await.until(
                    "nothing of the agent's static copy is left there",
                    () -> filesOn(
                                    WORKER,
                                    "/etc/kubernetes/manifests/ouroboros-node-agent.json /var/lib/ouroboros/node-agent/kubeconfig")
                            .isEmpty());

            ouro.kubectl("label", "node", WORKER, role + "-");
            Await.until(
                    "the Service does not lead there any more", () -> !servers().contains(address(WORKER)));
            Await.until(
                    "no pod of the controller manager is there",
                    () -> nodesOf(ControlPlane.CONTROLLER_MANAGER).size() == 2
                            && !nodesOf(ControlPlane.CONTROLLER_MANAGER).contains(WORKER));
            Await.until(
                    "no key of the control plane is left there",
                    () -> keysOn(WORKER).isEmpty());
            Await.until(
                    "its clients are led to others by its agent",
                    () -> dealtTo(WORKER).equals(Set.of(address(NAME), address(SECOND), address(THIRD))));
            assertThat(clients.longestWait()).isLessThan(LONGEST_WAIT);
        }
        assertThat(ouro.kubectl("get", "node", WORKER, "-o", "jsonpath={.metadata.labels}"))
                .as("nobody gives the label back while others serve")
                .doesNotContain(role);
    }

    @Test
    @Order(10)
    void allAreOffAndUpBootsThem() throws Exception {
        String before = bootId(WORKER);
        for (String node : ALL) {
            ouro.jsonPlain("node", "off", node, "-o", "json");
        }
        ouro.json("nodes")
                .forEach(node -> assertThat(node.path("state").asText()).isEqualTo("stopped"));

        assertThat(ouro.up().error()).contains("is up");

        for (String node : ALL) {
            Await.until(node + " is ready", () -> isReady(node));
        }
        assertThat(bootId(WORKER)).as("it is ready as it runs now").isNotEqualTo(before);
        Await.until(
                "each server serves",
                () -> dealtTo(WORKER).equals(Set.of(address(NAME), address(SECOND), address(THIRD))));
        for (String node : List.of(NAME, SECOND, THIRD)) {
            Await.until(
                    "nothing stands in on " + node, () -> understudiesOn(node).isEmpty());
        }
    }

    /** A pod of a Deployment of the control plane gets to a node when it is the only one that takes any. */
    private void moveTo(String node, String deployment) throws Exception {
        List<String> others = ALL.stream().filter(each -> !each.equals(node)).toList();
        others.forEach(other -> ouro.kubectl("cordon", other));
        try {
            String pod = ouro.kubectlJson("get", "pods", "-n", "kube-system", "-l", "k8s-app=" + deployment)
                    .at("/items/0/metadata/name")
                    .asText();
            ouro.kubectl("delete", "pod", "-n", "kube-system", pod);
            Await.until("one is there", () -> nodesOf(deployment).contains(node));
        } finally {
            others.forEach(other -> ouro.kubectl("uncordon", other));
        }
    }

    /** Nodes with a pod of a Deployment that is ready, a pod each. */
    private List<String> nodesOf(String deployment) throws Exception {
        List<String> nodes = new ArrayList<>();
        for (JsonNode pod : ouro.kubectlJson("get", "pods", "-n", "kube-system", "-l", "k8s-app=" + deployment)
                .at("/items")) {
            boolean ready = StreamSupport.stream(pod.at("/status/conditions").spliterator(), false)
                    .anyMatch(condition -> condition.path("type").asText().equals("Ready")
                            && condition.path("status").asText().equals("True"));
            if (ready) {
                nodes.add(pod.at("/spec/nodeName").asText());
            }
        }
        return nodes;
    }

    private List<String> understudiesOn(String node) {
        Result found =
                ouro.runPlain("exec", node, "--", "find", "/etc/kubernetes/manifests", "-name", "understudy-*.json");
        assertThat(found.exitCode()).as(found.error()).isZero();
        return found.output().lines().toList();
    }

    /** Of another node than the first. */
    private String kubectlOn(String node, String arguments) {
        return ouro.runPlain("exec", node, "--", "bash", "-c", "kubectl " + arguments)
                .output()
                .strip();
    }

    private String bootId(String node) {
        return ouro.kubectl("get", "node", node, "-o", "jsonpath={.status.nodeInfo.bootID}")
                .strip();
    }

    /** The label of control-plane nodes, which depends on the version: as the first one has it. */
    private String role() throws Exception {
        return ouro.kubectlJson("get", "node", NAME).at("/metadata/labels").properties().stream()
                .map(Map.Entry::getKey)
                .filter(label -> label.startsWith("node-role.kubernetes.io/"))
                .findFirst()
                .orElseThrow();
    }

    private Set<String> servers() throws Exception {
        Set<String> addresses = new TreeSet<>();
        ouro.kubectlJson("get", "endpoints", "kubernetes")
                .at("/subsets/0/addresses")
                .forEach(address -> addresses.add(address.path("ip").asText()));
        return addresses;
    }

    private Set<String> proven() throws Exception {
        Set<String> addresses = new TreeSet<>();
        for (JsonNode server : ouro.json("endpoints")) {
            if (server.path("proven").asBoolean()) {
                addresses.add(server.path("address").asText());
            }
        }
        return addresses;
    }

    private String address(String node) throws Exception {
        return told(node).path("address").asText();
    }

    private JsonNode told(String node) throws Exception {
        return StreamSupport.stream(ouro.json("nodes").spliterator(), false)
                .filter(each -> each.path("node").asText().equals(node))
                .findFirst()
                .orElseThrow();
    }

    /** Clients that dial the API as the node's own processes do. */
    private NamespaceProbe probeOn(String node) throws Exception {
        return NamespaceProbe.onNode(ouro, told(node).path("pid").asLong(), PATIENCE, INTERVAL);
    }

    /** Clients that begin now are answered. */
    private void requireAnswers(String node) throws Exception {
        try (NamespaceProbe begun = probeOn(node)) {
            assertThat(begun.longestWait()).as("of who begins now").isLessThan(LONGEST_WAIT);
        }
    }

    /** The servers to which a worker's agent deals connections. */
    private Set<String> dealtTo(String node) throws Exception {
        return balancerOf(node, 26446);
    }

    private Set<String> balancerOf(String node, int port) throws Exception {
        Result state = ouro.runPlain(
                "exec",
                node,
                "--",
                "bash",
                "-c",
                "exec 3<>/dev/tcp/127.0.0.1/" + port + " && printf 'GET /state HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3");
        int body = state.output().indexOf('{');
        Set<String> servers = new TreeSet<>();
        if (state.exitCode() == 0 && body >= 0) {
            new ObjectMapper()
                    .readTree(state.output().substring(body))
                    .at("/balancer/servers")
                    .forEach(server -> servers.add(server.asText().replaceFirst(":\\d+$", "")));
        }
        return servers;
    }

    /** What of the control plane's keys is on a node's disk. */
    private List<String> keysOn(String node) {
        String places = "/var/lib/ouroboros/checkpoints /etc/kubernetes/manifests /etc/kubernetes/bootstrap-secrets";
        // The agent's static copy belongs there, and has no key in its manifest.
        return filesOn(node, places).stream()
                .filter(file -> !file.endsWith("/ouroboros-node-agent.json"))
                .toList();
    }

    private List<String> filesOn(String node, String places) {
        Result found = ouro.runPlain(
                "exec",
                node,
                "--",
                "bash",
                "-c",
                "for place in " + places + "; do [ ! -e $place ] || find $place -type f || exit; done");
        assertThat(found.exitCode()).as(found.error()).isZero();
        return found.output().lines().toList();
    }

    /** Of the API server of a node, as this machine sees it. */
    private static long apiServerAt(String address) {
        return Long.parseLong(new LocalProcesses()
                .run(Command.of("pgrep", "-f", "^kube-apiserver --advertise-address=" + address + " "))
                .orThrow()
                .strip());
    }

    private static void stand(String signal, long process) {
        new LocalProcesses()
                .run(Command.of("kill", "-" + signal, String.valueOf(process)))
                .orThrow();
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
