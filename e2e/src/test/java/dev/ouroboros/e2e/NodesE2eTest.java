package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

    /** An understudy that leads hands over two minutes after everything has booted, and four nodes boot on two processors. */
    private static final Duration HANDED_OVER = Duration.ofMinutes(8);

    /** For an answer; who gets none asks again. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** New connections come whether the last one was answered or not: three probes with twenty a second kept two slow processors so busy that nobody was answered in two seconds. */
    private static final Duration INTERVAL = Duration.ofMillis(200);

    private final OuroProgram ouro = new OuroProgram(NAME);
    private final SandboxNodes nodes = new SandboxNodes(ouro);

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
        assertThat(nodes.names()).containsExactlyElementsOf(ALL);
        for (String node : ALL) {
            assertThat(nodes.isReady(node)).as(node).isTrue();
        }
        assertThat(ouro.kubectl("get", "node", WORKER, "-o", "jsonpath={.metadata.labels}"))
                .doesNotContain("node-role.kubernetes.io");
        assertThat(nodes.role(THIRD)).isEqualTo("control-plane");
        assertThat(nodes.role(WORKER)).isEqualTo("worker");

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
        Await.sparingly("the pod has ended", () -> phase("said").equals("Succeeded"));
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
        assertThat(nodes.servers()).isEqualTo(nodes.addresses(NAME, SECOND, THIRD));
        assertThat(nodes.proven()).as("as who sends clients there is told").isEqualTo(nodes.servers());
        assertThat(ouro.runPlain("exec", NAME, "--", "etcdctl", "member", "list")
                        .output()
                        .lines())
                .hasSize(3)
                .allMatch(line -> line.contains("started"));
        JsonNode etcd = ouro.jsonPlain("etcd", "status", "--hash", "--name", NAME, "-o", "json");
        assertThat(etcd.path("members")).hasSize(3);
        assertThat(etcd.at("/findings/0/evidence").asText())
                .isEqualTo("3 of 3 members that vote follow the leader, 1 may be lost");
        assertThat(etcd.at("/findings/2/evidence").asText())
                .isEqualTo("the hashes of 3 members that vote are the same");
        JsonNode defragmented = ouro.jsonPlain("etcd", "defragment", "--name", NAME, "-o", "json");
        assertThat(defragmented.path("members")).hasSize(3);
        for (String leader : List.of(ControlPlane.CONTROLLER_MANAGER, ControlPlane.SCHEDULER)) {
            Await.sparingly(
                    "two of " + leader + " are ready",
                    () -> ouro.kubectlJson("get", "deployment", leader, "-n", "kube-system")
                                    .at("/status/readyReplicas")
                                    .asInt()
                            == 2);
        }
        JsonNode explained = ouro.jsonPlain("explain", "--node", SECOND, "-o", "json");
        assertThat(explained.path("node").asText()).isEqualTo(SECOND);
        assertThat(explained.at("/components").size())
                .as("its own keeper tells")
                .isPositive();
        Result refused = ouro.runPlain("node", "remove", SECOND, "--name", NAME);
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.error()).contains("runs a member of etcd");
    }

    /** Of layer 0 the way there and back, on one node; {@code KubeletE2eTest} has the rest. */
    @Test
    @Order(2)
    void aWorkersKubeletIsChangedAndABadOneIsTakenBack() throws Exception {
        Result done = kubelet("set", "--node", WORKER, "--settle", "1s", "--config", "maxPods=50");
        assertThat(done.exitCode()).as(done.error()).isZero();
        assertThat(ouro.kubectl("get", "--raw", "/api/v1/nodes/" + WORKER + "/proxy/configz"))
                .contains("\"maxPods\":50");

        Result refused = kubelet("set", "--node", WORKER, "--argument", "max-pods=none");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.error()).contains("kubelet of node " + WORKER, "its kubelet ended 3 times");
        Await.sparingly("the former one is ready", () -> nodes.isReady(WORKER));
        assertThat(kubelet("status").output()).contains("Failed");

        Result back = kubelet("rollback", "--settle", "1s");
        assertThat(back.exitCode()).as(back.error()).isZero();
        assertThat(kubelet("status").exitCode()).isZero();
    }

    private Result kubelet(String verb, String... options) {
        List<String> words = new ArrayList<>(List.of(verb, "--name", NAME));
        words.addAll(List.of(options));
        return ouro.runPlain("kubelet", words.toArray(String[]::new));
    }

    /** The cluster's DNS runs on one node: from each its Service leads to its pod. */
    @Test
    @Order(3)
    void podsAreReachedFromEveryNode() throws Exception {
        for (String node : List.of(NAME, SECOND, WORKER)) {
            Await.sparingly("the DNS pod answers " + node, () -> dnsAnswers(node));
        }
    }

    private boolean dnsAnswers(String node) throws Exception {
        JsonNode pod = ouro.kubectlJson("get", "pods", "-n", "kube-system", "-l", "k8s-app=kube-dns")
                .at("/items/0");
        return nodes.opens(
                node,
                pod.at("/status/podIP").asText(),
                pod.at("/spec/containers/0/ports/0/containerPort").asInt());
    }

    @Test
    @Tag("long")
    @Order(4)
    void aNodeIsAddedWithANameOfItsOwnAndRemoved() throws Exception {
        JsonNode added = ouro.jsonPlain("node", "add", "blue", "--control-plane", "--name", NAME, "-o", "json");

        assertThat(added.path("outcome").asText()).isEqualTo("added");
        assertThat(nodes.isReady("blue")).isTrue();
        assertThat(nodes.servers()).contains(added.path("address").asText());
        Result again = ouro.runPlain("node", "add", "blue", "--name", NAME);
        assertThat(again.exitCode()).isEqualTo(2);
        assertThat(again.error()).contains("node blue").contains("is there already");
        Result first = ouro.runPlain("node", "remove", NAME);
        assertThat(first.exitCode()).isEqualTo(2);
        assertThat(first.error()).contains("ouro down --name " + NAME);

        JsonNode removed = ouro.jsonPlain("node", "remove", "blue", "--name", NAME, "-o", "json");

        assertThat(removed.path("outcome").asText()).isEqualTo("removed");
        assertThat(nodes.servers())
                .as("it had left the control plane before its power was cut")
                .isEqualTo(nodes.addresses(NAME, SECOND, THIRD));
        assertThat(nodes.names()).containsExactlyElementsOf(ALL);
        assertThat(ouro.kubectl("get", "nodes", "-o", "name").lines())
                .containsExactlyInAnyOrderElementsOf(
                        ALL.stream().map(node -> "node/" + node).toList());
    }

    @Test
    @Tag("long")
    @Order(5)
    void clientsLeaveAServerThatStandsStill() throws Exception {
        long server = nodes.apiServerOf(SECOND);
        try (NamespaceProbe clients = nodes.probeOn(WORKER, PATIENCE, INTERVAL)) {
            stand("STOP", server);
            try {
                Await.sparingly(
                        "the worker leaves it",
                        () -> !nodes.dealtByAgentOf(WORKER).contains(nodes.address(SECOND)));
                requireAnswers(WORKER);
            } finally {
                stand("CONT", server);
            }
            assertThat(clients.longestWait()).isLessThan(LONGEST_WAIT);
        }
        Await.sparingly("it serves again", () -> nodes.dealtByAgentOf(WORKER).contains(nodes.address(SECOND)));
    }

    @Test
    @Order(6)
    void clientsLeaveANodeThatIsLostAndItComesBack() throws Exception {
        try (NamespaceProbe onWorker = nodes.probeOn(WORKER, PATIENCE, INTERVAL);
                NamespaceProbe onThird = nodes.probeOn(THIRD, PATIENCE, INTERVAL)) {
            nodes.off(SECOND);
            try {
                Await.sparingly(
                        "the worker leaves it",
                        () -> !nodes.dealtByAgentOf(WORKER).contains(nodes.address(SECOND)));
                assertThat(nodes.servers())
                        .as("membership is not health, for a minute")
                        .contains(nodes.address(SECOND));
                Await.sparingly(
                        "others are not sent there", () -> nodes.proven().equals(nodes.addresses(NAME, THIRD)));
                requireAnswers(WORKER);
                requireAnswers(THIRD);
                Result etcd = ouro.runPlain("etcd", "status", "--name", NAME);
                assertThat(etcd.exitCode()).isEqualTo(3);
                assertThat(etcd.output()).contains("(2 of 3 members that vote follow the leader, none may be lost)");
                assertThat(onWorker.longestWait()).isLessThan(LONGEST_WAIT);
                assertThat(onThird.longestWait()).isLessThan(LONGEST_WAIT);
            } finally {
                nodes.on(SECOND);
            }
        }
        Await.sparingly("it serves again", () -> nodes.dealtByAgentOf(WORKER).contains(nodes.address(SECOND)));
        Await.sparingly("it is ready again", () -> nodes.isReady(SECOND));
    }

    /** Its kubelet dials the first node, which is off: the static copy of its agent leads it to others. */
    @Test
    @Tag("long")
    @Order(7)
    void aWorkerBootsWhileTheServerThatItDialsIsGone() throws Exception {
        String before = bootId(WORKER);
        nodes.off(WORKER);
        nodes.off(NAME);
        try {
            nodes.on(WORKER);
            Await.sparingly("it is ready as it runs now", () -> {
                String told = nodes.kubectlOn(
                        THIRD,
                        "get node " + WORKER
                                + " -o jsonpath='{.status.nodeInfo.bootID}{.status.conditions[?(@.type==\"Ready\")].status}'");
                return told.endsWith("True") && !told.startsWith(before);
            });
            Await.sparingly(
                    "its agent is the DaemonSet's again",
                    () -> nodes.kubectlOn(
                                    THIRD,
                                    "-n kube-system get pods -l k8s-app=ouroboros-node-agent"
                                            + " --field-selector spec.nodeName=" + WORKER
                                            + " -o jsonpath='{.items[*].status.conditions[?(@.type==\"Ready\")].status}'")
                            .equals("True"));
        } finally {
            nodes.on(NAME);
        }
        Await.sparingly(
                "the first one serves again", () -> nodes.dealtByAgentOf(WORKER).contains(nodes.address(NAME)));
        Await.sparingly("it is ready again", () -> nodes.isReady(NAME));
    }

    /** Whoever is cut off from the majority writes nothing, wipes nothing and is missed by nobody. */
    @Test
    @Tag("long")
    @Order(8)
    void clientsLeaveANodeThatIsSplitOffAndItComesBack() throws Exception {
        try (NamespaceProbe onWorker = nodes.probeOn(WORKER, PATIENCE, INTERVAL)) {
            ouro.jsonPlain("net", "split", SECOND, String.join(",", NAME, THIRD, WORKER), "--name", NAME, "-o", "json");
            try {
                Await.sparingly(
                        "the worker leaves it",
                        () -> !nodes.dealtByAgentOf(WORKER).contains(nodes.address(SECOND)));
                assertThat(nodes.servers())
                        .as("membership is not health, for a minute")
                        .isEqualTo(nodes.addresses(NAME, SECOND, THIRD));
                requireAnswers(WORKER);
                Await.sparingly("the others miss it", () -> !nodes.isReady(SECOND));
                assertThat(ouro.runPlain("etcd", "status", "--name", NAME).output())
                        .as("it answers, and follows nobody")
                        .contains(SECOND + " follows no leader");
                Await.sparingly(
                        "the Service leads to those that are there",
                        () -> nodes.servers().equals(nodes.addresses(NAME, THIRD)));
                assertThat(keysOn(SECOND)).isNotEmpty();
            } finally {
                ouro.jsonPlain("net", "heal", "--name", NAME, "-o", "json");
            }
            assertThat(onWorker.longestWait()).isLessThan(LONGEST_WAIT);
        }
        Await.sparingly("the Service leads there again", () -> nodes.servers().contains(nodes.address(SECOND)));
        Await.sparingly("it serves again", () -> nodes.dealtByAgentOf(WORKER).contains(nodes.address(SECOND)));
        Await.sparingly("it is ready again", () -> nodes.isReady(SECOND));
        requireAnswers(SECOND);
    }

    /** No certificate is made anew and nothing is run on the node: a label is all. */
    @Test
    @Order(9)
    void aLabelMakesAControlPlaneNodeAndUnmakesIt() throws Exception {
        String role = role();
        ouro.kubectl("label", "node", WORKER, role + "=");
        Await.sparingly("the Service leads there", () -> nodes.servers().contains(nodes.address(WORKER)));
        try (NamespaceProbe clients = nodes.probeOn(WORKER, PATIENCE, INTERVAL)) {
            Await.sparingly(
                    "its own server has its clients",
                    () -> nodes.dealtByKeeperOf(WORKER).equals(nodes.addresses(WORKER)));
            Await.sparingly("its API server is saved", () -> !keysOn(WORKER).isEmpty());
            moveTo(WORKER, ControlPlane.CONTROLLER_MANAGER);
            Await.sparingly(
                    "nothing of the agent's static copy is left there",
                    () -> nodes.filesOn(
                                    WORKER,
                                    "/etc/kubernetes/manifests/ouroboros-node-agent.json",
                                    "/var/lib/ouroboros/node-agent/kubeconfig")
                            .isEmpty());

            ouro.kubectl("label", "node", WORKER, role + "-");
            Await.sparingly(
                    "the Service does not lead there any more",
                    () -> !nodes.servers().contains(nodes.address(WORKER)));
            Await.sparingly(
                    "no pod of the controller manager is there",
                    () -> nodes.nodesOf(ControlPlane.CONTROLLER_MANAGER).size() == 2
                            && !nodes.nodesOf(ControlPlane.CONTROLLER_MANAGER).contains(WORKER));
            Await.sparingly(
                    "no key of the control plane is left there",
                    () -> keysOn(WORKER).isEmpty());
            Await.sparingly(
                    "its clients are led to others by its agent",
                    () -> nodes.dealtByAgentOf(WORKER).equals(nodes.addresses(NAME, SECOND, THIRD)));
            assertThat(clients.longestWait()).isLessThan(LONGEST_WAIT);
        }
        assertThat(ouro.kubectl("get", "node", WORKER, "-o", "jsonpath={.metadata.labels}"))
                .as("nobody gives the label back while others serve")
                .doesNotContain(role);
    }

    @Test
    @Tag("long")
    @Order(10)
    void allAreOffAndUpBootsThem() throws Exception {
        String before = bootId(WORKER);
        for (String node : ALL) {
            nodes.off(node);
        }
        ouro.json("nodes")
                .forEach(node -> assertThat(node.path("state").asText()).isEqualTo("stopped"));

        assertThat(ouro.up().error()).contains("is up");

        for (String node : ALL) {
            Await.sparingly(node + " is ready", () -> nodes.isReady(node));
        }
        assertThat(bootId(WORKER)).as("it is ready as it runs now").isNotEqualTo(before);
        Await.sparingly(
                "each server serves", () -> nodes.dealtByAgentOf(WORKER).equals(nodes.addresses(NAME, SECOND, THIRD)));
        for (String node : List.of(NAME, SECOND, WORKER)) {
            Await.sparingly("the DNS pod answers " + node + " again", () -> dnsAnswers(node));
        }
        for (String node : List.of(NAME, SECOND, THIRD)) {
            Await.sparingly(
                    "nothing stands in on " + node,
                    HANDED_OVER,
                    () -> nodes.filesOn(node, "/etc/kubernetes/manifests/understudy-*.json")
                            .isEmpty());
        }
    }

    /** Its power goes right after it has joined, and never comes back. */
    @Test
    @Tag("long")
    @Order(11)
    void aControlPlaneNodeThatJoinsAndVanishesHurtsNoClientAndIsRemoved() throws Exception {
        ouro.jsonPlain("node", "add", "green", "--control-plane", "--name", NAME, "-o", "json");
        try {
            String address = nodes.address("green");
            assertThat(nodes.servers()).contains(address);
            try (NamespaceProbe clients = nodes.probeOn(WORKER, PATIENCE, INTERVAL)) {
                ouro.jsonPlain("node", "off", "green", "--name", NAME, "-o", "json");
                Await.sparingly(
                        "the Service leads there no more",
                        () -> !nodes.servers().contains(address));
                assertThat(clients.longestWait()).isLessThan(LONGEST_WAIT);
            }
            assertThat(ouro.runPlain("status", "--name", NAME).output()).contains("4/5 ready");
        } finally {
            JsonNode removed = ouro.jsonPlain("node", "remove", "green", "--name", NAME, "-o", "json");
            assertThat(removed.path("outcome").asText()).isEqualTo("removed");
        }
        assertThat(ouro.kubectl("get", "nodes", "-o", "name").lines())
                .containsExactlyInAnyOrderElementsOf(
                        ALL.stream().map(node -> "node/" + node).toList());
        assertThat(nodes.servers()).isEqualTo(nodes.addresses(NAME, SECOND, THIRD));
    }

    /** A pod of a Deployment of the control plane gets to a node when it is the only one that takes any. */
    @Test
    @Tag("long")
    @Order(12)
    void aMemberOfEtcdIsChangedWhileTheOthersServe() throws Exception {
        String flag = "--quota-backend-bytes=3000000000";
        String edit = "sed 's/- --name=/- " + flag + "\\n    &/' /etc/kubernetes/manifests/etcd.yaml >/root/etcd.yaml";
        assertThat(ouro.runPlain("exec", SECOND, "--", "sh", "-c", edit).exitCode())
                .isZero();
        try (NamespaceProbe probe = nodes.probeOn(WORKER, Duration.ofSeconds(10), INTERVAL)) {
            Result changed = ouro.runPlain("exec", SECOND, "--", "ouro", "etcd", "change", "/root/etcd.yaml");
            assertThat(changed.exitCode()).as(changed.error()).isZero();
            probe.requireNoFailedRequest();
        }
        assertThat(ouro.runPlain("exec", SECOND, "--", "ps", "ax", "-o", "args").output())
                .contains(flag);
        assertThat(ouro.jsonPlain("etcd", "status", "--name", NAME, "-o", "json")
                        .path("members"))
                .hasSize(3);
    }

    private void moveTo(String node, String deployment) throws Exception {
        List<String> others = ALL.stream().filter(each -> !each.equals(node)).toList();
        others.forEach(other -> ouro.kubectl("cordon", other));
        try {
            String pod = ouro.kubectlJson("get", "pods", "-n", "kube-system", "-l", "k8s-app=" + deployment)
                    .at("/items/0/metadata/name")
                    .asText();
            ouro.kubectl("delete", "pod", "-n", "kube-system", pod);
            Await.sparingly("one is there", () -> nodes.nodesOf(deployment).contains(node));
        } finally {
            others.forEach(other -> ouro.kubectl("uncordon", other));
        }
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

    /** Clients that begin now are answered. */
    private void requireAnswers(String node) throws Exception {
        try (NamespaceProbe begun = nodes.probeOn(node, PATIENCE, INTERVAL)) {
            assertThat(begun.longestWait()).as("of who begins now").isLessThan(LONGEST_WAIT);
        }
    }

    /** What of the control plane's keys is on a node's disk. */
    private List<String> keysOn(String node) {
        // The agent's static copy belongs there, and has no key in its manifest.
        return nodes
                .filesOn(
                        node,
                        "/var/lib/ouroboros/checkpoints",
                        "/etc/kubernetes/manifests",
                        "/etc/kubernetes/bootstrap-secrets")
                .stream()
                .filter(file -> !file.endsWith("/ouroboros-node-agent.json"))
                .toList();
    }

    private static void stand(String signal, long process) {
        new LocalProcesses()
                .run(Command.of("kill", "-" + signal, String.valueOf(process)))
                .orThrow();
    }

    private String phase(String pod) {
        return ouro.kubectl("get", "pod", pod, "-o", "jsonpath={.status.phase}").strip();
    }
}
