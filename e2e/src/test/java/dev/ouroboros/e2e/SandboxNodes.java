package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The nodes of a sandbox: what is asked of them, of the cluster about them, and what is done to them. */
final class SandboxNodes {
    private static final Duration AT_ONCE = Duration.ofSeconds(1);
    private static final int KEEPER_PORT = 26445;
    private static final int AGENT_PORT = 26446;

    private final OuroProgram ouro;
    /** A node keeps its address as long as it is one; each question is a JVM that a test's clients would wait for. */
    private final Map<String, String> addresses = new ConcurrentHashMap<>();

    SandboxNodes(OuroProgram ouro) {
        this.ouro = ouro;
    }

    List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        ouro.json("nodes").forEach(node -> names.add(node.path("node").asText()));
        return names;
    }

    /** As {@code ouro nodes} tells it. */
    String role(String node) throws IOException {
        return told(node).path("role").asText();
    }

    String address(String node) throws IOException {
        String known = addresses.get(node);
        if (known == null) {
            known = told(node).path("address").asText();
            addresses.put(node, known);
        }
        return known;
    }

    Set<String> addresses(String... nodes) throws IOException {
        Set<String> found = new TreeSet<>();
        for (String node : nodes) {
            found.add(address(node));
        }
        return found;
    }

    private JsonNode told(String node) throws IOException {
        return StreamSupport.stream(ouro.json("nodes").spliterator(), false)
                .filter(each -> each.path("node").asText().equals(node))
                .findFirst()
                .orElseThrow();
    }

    void off(String node) throws IOException {
        ouro.jsonPlain("node", "off", node, "-o", "json");
    }

    void on(String node) throws IOException {
        ouro.jsonPlain("node", "on", node, "-o", "json");
    }

    /** All of them at once. */
    void allOff() throws IOException {
        JsonNode cuts = ouro.jsonPlain("node", "off", "--all", "--name", ouro.sandbox(), "-o", "json");
        List<Instant> moments = StreamSupport.stream(cuts.spliterator(), false)
                .map(cut -> Instant.parse(cut.path("powerCutAt").asText()))
                .sorted()
                .toList();
        assertThat(Duration.between(moments.getFirst(), moments.getLast()))
                .as("from the first to the last")
                .isLessThan(AT_ONCE);
    }

    void allOn() throws IOException {
        ouro.jsonPlain("node", "on", "--all", "--name", ouro.sandbox(), "-o", "json");
    }

    /** Clients that dial the API as the node's own processes do. */
    NamespaceProbe probeOn(String node, Duration patience, Duration interval) throws IOException {
        return NamespaceProbe.onNode(ouro, told(node).path("pid").asLong(), patience, interval);
    }

    boolean isReady(String node) throws IOException {
        JsonNode conditions = ouro.kubectlJson("get", "node", node).at("/status/conditions");
        return StreamSupport.stream(conditions.spliterator(), false)
                .anyMatch(condition -> condition.path("type").asText().equals("Ready")
                        && condition.path("status").asText().equals("True"));
    }

    /** The API servers that the {@code kubernetes} Service names. */
    Set<String> servers() throws IOException {
        Set<String> found = new TreeSet<>();
        ouro.kubectlJson("get", "endpoints", "kubernetes")
                .at("/subsets/0/addresses")
                .forEach(address -> found.add(address.path("ip").asText()));
        return found;
    }

    /** Those of them that are ready when they are asked. */
    Set<String> proven() throws IOException {
        Set<String> found = new TreeSet<>();
        for (JsonNode server : ouro.json("endpoints")) {
            if (server.path("proven").asBoolean()) {
                found.add(server.path("address").asText());
            }
        }
        return found;
    }

    /** The servers to which a worker's agent deals connections. */
    Set<String> dealtByAgentOf(String node) throws IOException {
        return dealt(state(node, AGENT_PORT));
    }

    /** The servers to which a control-plane node's keeper deals connections. */
    Set<String> dealtByKeeperOf(String node) throws IOException {
        return dealt(keeperState(node));
    }

    /** What the keeper of a node says; nothing if it does not answer. */
    JsonNode keeperState(String node) throws IOException {
        return state(node, KEEPER_PORT);
    }

    private JsonNode state(String node, int port) throws IOException {
        Result said = bash(
                node,
                "exec 3<>/dev/tcp/127.0.0.1/" + port + " && printf 'GET /state HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3");
        int body = said.output().indexOf('{');
        ObjectMapper json = new ObjectMapper();
        return said.exitCode() == 0 && body >= 0
                ? json.readTree(said.output().substring(body))
                : json.createObjectNode();
    }

    private static Set<String> dealt(JsonNode state) {
        Set<String> found = new TreeSet<>();
        state.at("/balancer/servers")
                .forEach(server -> found.add(server.asText().replaceFirst(":\\d+$", "")));
        return found;
    }

    boolean opens(String node, String address, int port) {
        return bash(node, "exec timeout 3 bash -c 'exec 3<>/dev/tcp/" + address + "/" + port + "'")
                        .exitCode()
                == 0;
    }

    /** By the kubeconfig of the node that is named: for when the first one is off. */
    String kubectlOn(String node, String arguments) {
        return bash(node, "kubectl " + arguments).output().strip();
    }

    /** What is at these places of a node's disk: files, and those of directories. */
    List<String> filesOn(String node, String... places) {
        Result found = bash(
                node,
                "for place in " + String.join(" ", places)
                        + "; do [ ! -e $place ] || find $place -type f || exit; done");
        assertThat(found.exitCode()).as(found.error()).isZero();
        return found.output().lines().toList();
    }

    private Result bash(String node, String script) {
        return ouro.runIn(node, "bash", "-c", script);
    }

    /** The process of a node's API server, as this machine sees it. */
    long apiServerOf(String node) throws IOException {
        return Long.parseLong(new LocalProcesses()
                .run(Command.of("pgrep", "-f", "^kube-apiserver --advertise-address=" + address(node) + " "))
                .orThrow()
                .strip());
    }

    /** The nodes with a pod of a Deployment of the control plane that is ready, once for each such pod. */
    List<String> nodesOf(String deployment) throws IOException {
        return podsOf(deployment)
                .filter(pod -> StreamSupport.stream(pod.at("/status/conditions").spliterator(), false)
                        .anyMatch(condition -> condition.path("type").asText().equals("Ready")
                                && condition.path("status").asText().equals("True")))
                .map(pod -> pod.at("/spec/nodeName").asText())
                .toList();
    }

    /** The UIDs of pods that have a label {@code k8s-app} of the control plane. */
    Set<String> uidsOf(String component) throws IOException {
        return podsOf(component).map(pod -> pod.at("/metadata/uid").asText()).collect(Collectors.toSet());
    }

    private Stream<JsonNode> podsOf(String component) throws IOException {
        JsonNode pods = ouro.kubectlJson("get", "pods", "-n", "kube-system", "-l", "k8s-app=" + component);
        return StreamSupport.stream(pods.at("/items").spliterator(), false);
    }
}
