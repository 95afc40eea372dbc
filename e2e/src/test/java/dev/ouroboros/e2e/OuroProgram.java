package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.sandbox.SandboxHost;
import dev.ouroboros.sandbox.SandboxName;
import dev.ouroboros.sandbox.SandboxPaths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** Runs the checkout's {@code ./ouro} and the tools inside a sandbox's node. */
final class OuroProgram {
    static final Path CHECKOUT = Path.of(System.getProperty("ouroboros.checkout", ".."))
            .toAbsolutePath()
            .normalize();
    static final boolean LONG = Boolean.getBoolean("ouroboros.long");

    /** The asset directory, in the node. */
    static final String ASSETS = "/var/lib/ouroboros/assets";

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final SandboxHost HOST =
            new SandboxHost(SandboxPaths.DEFAULT_ROOT, new LocalProcesses(), new LocalDisk(), InstantSource.system());

    private final String sandbox;

    OuroProgram(String sandbox) {
        this.sandbox = sandbox;
    }

    /** The sandbox's name. */
    String sandbox() {
        return sandbox;
    }

    /** Waits until all is as it should be. */
    void awaitConvergence() {
        Result result = run("status", "--wait=6m");
        assertThat(result.exitCode()).as(result.error()).isZero();
    }

    /** {@code ouro VERB --name SANDBOX ARGUMENTS}. */
    Result run(String verb, String... arguments) {
        return run(command(verb, arguments), Duration.ofMinutes(30));
    }

    /** {@code ouro VERB ARGUMENTS}, for verbs that know no sandbox. */
    Result runPlain(String verb, String... arguments) {
        List<String> command = new ArrayList<>(List.of(CHECKOUT.resolve("ouro").toString(), verb));
        command.addAll(List.of(arguments));
        return run(command, Duration.ofMinutes(10));
    }

    Result run(List<String> command, Duration timeout) {
        Result result = new LocalProcesses().run(Command.of(command).withTimeout(timeout));
        System.err.println("$ " + String.join(" ", command) + "  => " + result.exitCode() + "\n" + result.error());
        return result;
    }

    /** The command line of a verb, for callers that need the process itself. */
    List<String> command(String verb, String... arguments) {
        List<String> command = new ArrayList<>(List.of(CHECKOUT.resolve("ouro").toString(), verb, "--name", sandbox));
        command.addAll(List.of(arguments));
        return command;
    }

    /** The command line of {@code ouro up}, with the binaries that {@code -Douroboros.binaries} names or Debian's. */
    List<String> upCommand(String... arguments) {
        List<String> all = command("up", arguments);
        String binaries = System.getProperty("ouroboros.binaries", "");
        if (!binaries.isEmpty()) {
            all.addAll(List.of("--binaries", binaries));
        }
        return all;
    }

    /** Makes the sandbox. */
    Result up(String... arguments) {
        Result result = run(upCommand(arguments), Duration.ofMinutes(30));
        assertThat(result.exitCode()).as("ouro up: %s", result.error()).isZero();
        return result;
    }

    /** Runs a command in the node and requires its success. */
    String inNode(String... command) {
        Result result = runIn(nodeName(), command);
        assertThat(result.exitCode())
                .as("%s: %s", String.join(" ", command), result.error())
                .isZero();
        return result.output();
    }

    /**
     * Runs a command in a node, as {@code ouro exec} does: without its JVM, as tests ask hundreds of times, beside clients whose waiting they measure. Of a node
     * that does not run it is a failure.
     */
    Result runIn(String node, String... command) {
        if (command[0].equals("ouro")) {
            // Only 'ouro exec' knows where the node sees this checkout.
            List<String> all = command("exec", node, "--");
            all.addAll(List.of(command));
            return run(all, Duration.ofMinutes(3));
        }
        String text = node + "$ " + String.join(" ", command);
        Result result = HOST.sandbox(new SandboxName(sandbox)).nodes().stream()
                .filter(each -> each.name().equals(node))
                .flatMap(each -> each.running().stream())
                .findFirst()
                .map(running -> new LocalProcesses()
                        .run(running.enter(Command.of(command).withTimeout(Duration.ofMinutes(3)))))
                .orElseGet(() -> new Result(text, 1, "", "node " + node + " does not run"));
        System.err.println(text + "  => " + result.exitCode() + "\n" + result.error());
        return result;
    }

    /** {@code ouro start} inside the node, on the assets that are there. */
    Result startInNode(String... arguments) {
        return run(startCommand(arguments), Duration.ofMinutes(10));
    }

    /** The command line of {@code ouro start} inside the node. */
    List<String> startCommand(String... arguments) {
        List<String> command = command("exec");
        command.addAll(List.of(nodeName(), "--", "ouro", "start", "--asset-dir", ASSETS));
        command.addAll(List.of(arguments));
        return command;
    }

    /** What a verb prints with {@code -o json}. */
    JsonNode json(String verb, String... arguments) throws IOException {
        List<String> command = command(verb, arguments);
        command.addAll(List.of("-o", "json"));
        Result result = run(command, Duration.ofMinutes(5));
        assertThat(result.exitCode()).as(result.error()).isZero();
        return MAPPER.readTree(result.output());
    }

    /** What a verb prints that knows no sandbox; {@code -o json} is the caller's. */
    JsonNode jsonPlain(String verb, String... arguments) throws IOException {
        Result result = runPlain(verb, arguments);
        assertThat(result.exitCode()).as(result.error()).isZero();
        return MAPPER.readTree(result.output());
    }

    /** A file of the running node, as this machine reaches it. */
    Path nodeFile(String inside) throws IOException {
        String pid = json("nodes").path(0).path("pid").asText();
        return Path.of("/proc", pid, "root", inside);
    }

    String nodeName() {
        return sandbox;
    }

    /** Alters a file of the asset directory, which has to have what is replaced. */
    void replaceInAssets(String file, String pattern, String replacement) throws IOException {
        Path path = nodeFile(ASSETS + "/" + file);
        String before = Files.readString(path);
        String after = before.replaceAll(pattern, replacement);
        assertThat(after).as("%s in %s", pattern, file).isNotEqualTo(before);
        Files.writeString(path, after);
    }

    JsonNode kubectlJson(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("kubectl"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-o", "json"));
        return MAPPER.readTree(inNode(command.toArray(String[]::new)));
    }

    String kubectl(String... arguments) {
        List<String> command = new ArrayList<>(List.of("kubectl"));
        command.addAll(List.of(arguments));
        return inNode(command.toArray(String[]::new));
    }

    Path kubeconfig() {
        Result result = run("kubeconfig");
        assertThat(result.exitCode()).isZero();
        return Path.of(result.output().strip());
    }

    void down() {
        Result result = run("down");
        assertThat(result.exitCode()).as("ouro down: %s", result.error()).isZero();
    }
}
