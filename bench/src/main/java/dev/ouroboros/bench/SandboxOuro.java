package dev.ouroboros.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The checkout's {@code ./ouro}, as a user calls it on one sandbox, whose first node has the sandbox's name. */
final class SandboxOuro {
    private static final Duration LIMIT = Duration.ofMinutes(31);

    private final Path ouro;
    private final String sandbox;
    private final Processes processes;

    SandboxOuro(Path checkout, String sandbox, Processes processes) {
        this.ouro = checkout.resolve("ouro");
        this.sandbox = sandbox;
        this.processes = processes;
    }

    String sandbox() {
        return sandbox;
    }

    Path kubeconfig() {
        return Path.of(run("kubeconfig", "--name", sandbox).strip());
    }

    void up(List<String> arguments) {
        List<String> words = new ArrayList<>(List.of("up", "--name", sandbox));
        words.addAll(arguments);
        run(words.toArray(String[]::new));
    }

    /** As {@link #up}; what it says to people. */
    String upSaying(List<String> arguments) {
        List<String> words = new ArrayList<>(List.of("up", "--name", sandbox));
        words.addAll(arguments);
        Result result =
                processes.run(Command.of(words).behind(List.of(ouro.toString())).withTimeout(LIMIT));
        result.orThrow();
        return result.error();
    }

    void down() {
        run("down", "--name", sandbox);
    }

    JsonNode reboot() {
        return json(run("reboot", sandbox, "--name", sandbox, "-o", "json"));
    }

    JsonNode nodes() {
        return json(run("nodes", "--name", sandbox, "-o", "json"));
    }

    /** Of a sandbox with several nodes; its first has the sandbox's name, the others a number behind it. */
    String node(int number) {
        return number == 1 ? sandbox : sandbox + "-" + number;
    }

    /** One more node, of the next number. */
    void addControlPlane() {
        run("node", "add", "--control-plane", "--name", sandbox);
    }

    void powerOff(String node) {
        run("node", "off", node, "--name", sandbox);
    }

    void powerOn(String node) {
        run("node", "on", node, "--name", sandbox);
    }

    /**
     * The first process of a node, as this machine sees it.
     *
     * @throws ProblemException NOT_FOUND when the node does not run
     */
    long pid(String node) {
        for (JsonNode one : nodes()) {
            if (one.path("node").asText().equals(node) && one.has("pid")) {
                return one.path("pid").asLong();
            }
        }
        throw ProblemException.of(ErrorCode.NOT_FOUND, "node " + node, "does not run", "", "ouro up --name " + sandbox);
    }

    /**
     * The first node's root directory, as this machine sees it.
     *
     * @throws ProblemException NOT_FOUND when the node does not run
     */
    Path root() {
        return root(sandbox);
    }

    Path root(String node) {
        return Path.of("/proc", Long.toString(pid(node)), "root");
    }

    /** Begins a probe in the network of a node. */
    NodeProbe probeOn(String node) throws InterruptedException {
        return NodeProbe.start(processes, ouro, kubeconfig(), pid(node));
    }

    /** Requests that a node's keeper has sent to the API since it began: it counts them itself, as the API server's metrics do not tell users apart. */
    double requestsOfKeeper(String node) {
        return runOn(node, "curl", "-sS", "http://127.0.0.1:" + Component.KEEPER.port() + "/metrics")
                .lines()
                .filter(line -> line.startsWith("ouroboros_keeper_api_requests_total"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    String inNode(String... command) {
        return runOn(sandbox, command);
    }

    String runOn(String node, String... command) {
        List<String> words = new ArrayList<>(List.of("exec", "--name", sandbox, node, "--"));
        words.addAll(List.of(command));
        return run(words.toArray(String[]::new));
    }

    /** In namespace kube-system. */
    String kubectl(String... arguments) {
        List<String> words = new ArrayList<>(List.of("kubectl", "--namespace=kube-system"));
        words.addAll(List.of(arguments));
        return inNode(words.toArray(String[]::new));
    }

    /** {@code kubectl get}, in namespace kube-system. */
    JsonNode get(String... what) {
        List<String> words = new ArrayList<>(List.of("get", "--output=json"));
        words.addAll(List.of(what));
        return json(kubectl(words.toArray(String[]::new)));
    }

    /** Every component runs as its template says, and no change is under way. */
    void awaitAtRest() {
        run("status", "--name", sandbox, "--wait");
    }

    /** Its output; what it says to people goes on to the terminal. */
    private String run(String... arguments) {
        return processes
                .run(Command.of(arguments).behind(List.of(ouro.toString())).withTimeout(LIMIT))
                .orThrow();
    }

    private static JsonNode json(String text) {
        try {
            return new ObjectMapper().readTree(text);
        } catch (JsonProcessingException e) {
            throw ProblemException.of(
                    ErrorCode.INTERNAL,
                    "ouro",
                    "printed no JSON: " + e.getMessage(),
                    "",
                    "run the benchmark again; if it comes back, report it with what ouro printed");
        }
    }
}
