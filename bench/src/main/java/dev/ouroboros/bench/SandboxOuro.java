package dev.ouroboros.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The checkout's {@code ./ouro}, as a user calls it on one sandbox of one node, which has the sandbox's name. */
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

    /**
     * The node's root directory, as this machine sees it.
     *
     * @throws ProblemException NOT_FOUND when the node does not run
     */
    Path root() {
        String pid = nodes().path(0).path("pid").asText();
        if (pid.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND, "sandbox " + sandbox, "does not run", "", "ouro up --name " + sandbox);
        }
        return Path.of("/proc", pid, "root");
    }

    String inNode(String... command) {
        List<String> words = new ArrayList<>(List.of("exec", "--name", sandbox, sandbox, "--"));
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
