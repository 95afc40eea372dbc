package dev.ouroboros.cli.cluster;

import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxHost;
import dev.ouroboros.sandbox.SandboxName;
import dev.ouroboros.sandbox.SandboxNode;
import dev.ouroboros.sandbox.SandboxPaths;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** What the commands that act on a sandbox have in common. */
public final class SandboxOptions {
    public static final SandboxName DEFAULT_NAME = new SandboxName(SandboxName.DEFAULT);

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "Which sandbox (default: " + SandboxName.DEFAULT + ").")
    private Optional<String> name = Optional.empty();

    public Optional<SandboxName> givenName() {
        return name.map(SandboxName::new);
    }

    public SandboxName name() {
        return givenName().orElse(DEFAULT_NAME);
    }

    /** The sandbox of that name, whether it exists or not. */
    public Sandbox sandbox() {
        return host().sandbox(name());
    }

    /** The sandbox of that name, which must exist. */
    public Sandbox existing() {
        return host().sandboxes().stream()
                .filter(sandbox -> sandbox.name().equals(name()))
                .findFirst()
                .orElseThrow(() -> notFound("--name", "there is no sandbox '" + name() + "'"));
    }

    /** A node with the sandbox that has it. */
    public record Found(Sandbox sandbox, SandboxNode node) {}

    /**
     * The node of this name. That of a sandbox's first node is its sandbox's own; others are looked for in every sandbox.
     *
     * @throws ProblemException NOT_FOUND when there is none, BAD_USAGE when there are several
     */
    public Found node(String name) {
        List<Sandbox> meant = host().sandboxes().stream()
                .filter(sandbox ->
                        givenName().isEmpty() || givenName().orElseThrow().equals(sandbox.name()))
                .toList();
        Optional<Found> first = meant.stream()
                .filter(sandbox -> sandbox.name().node().equals(name))
                .map(sandbox -> new Found(sandbox, sandbox.first()))
                .findFirst();
        if (first.isPresent()) {
            return first.get();
        }
        List<Found> found = meant.stream()
                .flatMap(sandbox -> sandbox.find(name).map(node -> new Found(sandbox, node)).stream())
                .toList();
        if (found.size() > 1) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "NODE",
                    "there are several nodes '" + name + "', in sandboxes "
                            + found.stream()
                                    .map(each -> each.sandbox().name().value())
                                    .collect(Collectors.joining(", ")),
                    "one of them",
                    "say which with --name");
        }
        return found.stream().findFirst().orElseThrow(() -> notFound("NODE", "there is no node '" + name + "'"));
    }

    public static SandboxHost host() {
        ThisMachine.requireRoot("sandbox", "namespaces, mounts and network devices need root");
        return new SandboxHost(
                SandboxPaths.DEFAULT_ROOT, ThisMachine.processes(), ThisMachine.disk(), InstantSource.system());
    }

    private static ProblemException notFound(String where, String what) {
        String all = host().sandboxes().stream().map(SandboxOptions::describe).collect(Collectors.joining(", "));
        return ProblemException.of(
                ErrorCode.NOT_FOUND,
                where,
                what,
                all.isEmpty() ? "" : "one of: " + all,
                all.isEmpty() ? "make one: ouro up" : "choose one of them, or make another: ouro up --name NAME");
    }

    private static String describe(Sandbox sandbox) {
        List<String> nodes = sandbox.nodes().stream().map(SandboxNode::name).toList();
        return sandbox.name() + (nodes.size() == 1 ? " (node " : " (nodes ") + String.join(", ", nodes) + ")";
    }
}
