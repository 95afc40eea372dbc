package dev.ouroboros.cli.cluster;

import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxHost;
import dev.ouroboros.sandbox.SandboxName;
import dev.ouroboros.sandbox.SandboxPaths;
import java.time.InstantSource;
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

    /** The sandbox that has this node. */
    public Sandbox ofNode(String node) {
        return host().sandboxes().stream()
                .filter(sandbox ->
                        givenName().isEmpty() || givenName().orElseThrow().equals(sandbox.name()))
                .filter(sandbox -> sandbox.name().node().equals(node))
                .findFirst()
                .orElseThrow(() -> notFound("NODE", "there is no node '" + node + "'"));
    }

    public static SandboxHost host() {
        ThisMachine.requireRoot("sandbox", "namespaces, mounts and network devices need root");
        return new SandboxHost(
                SandboxPaths.DEFAULT_ROOT, ThisMachine.processes(), ThisMachine.disk(), InstantSource.system());
    }

    private static ProblemException notFound(String where, String what) {
        String all = host().sandboxes().stream()
                .map(sandbox -> sandbox.name() + " (node " + sandbox.name().node() + ")")
                .collect(Collectors.joining(", "));
        return ProblemException.of(
                ErrorCode.NOT_FOUND,
                where,
                what,
                all.isEmpty() ? "" : "one of: " + all,
                all.isEmpty() ? "make one: ouro up" : "choose one of them, or make another: ouro up --name NAME");
    }
}
