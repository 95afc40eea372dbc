package dev.ouroboros.cli.sandbox;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutcomeOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxNode;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro node add}. */
@Command(
        name = "add",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Adds a node to a sandbox that is up: it joins the cluster as a worker, and is ready when the command returns.",
            "It gets what the first node has now: programs, images, mirrors.",
            "With --control-plane it has an API server too, to which clients are sent then, and no member of etcd."
        },
        footer = {
            "",
            "Example:",
            "  ouro node add ouroboros-blue",
            "  ouro node add --control-plane",
            "",
            "Killed at any moment, 'ouro up' goes on with it, and 'ouro node remove' takes it away.",
            "A control-plane node becomes one when this is run again with its name."
        })
final class NodeAddCommand implements Callable<Integer> {
    private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private SandboxOptions options = new SandboxOptions();

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "NODE",
            description = "Its name (default: the sandbox's with the next number, as in ouroboros-2).")
    private Optional<String> node = Optional.empty();

    @Option(
            names = "--control-plane",
            description =
                    "Give it the label of control-plane nodes, and wait until the kubernetes Service leads there.")
    private boolean controlPlane;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "With --control-plane: how long its API server may take to serve (default: 5m).")
    private Optional<Duration> timeout = Optional.empty();

    @Mixin
    private final OutcomeOptions output = new OutcomeOptions();

    @Override
    public Integer call() {
        if (timeout.isPresent() && !controlPlane) {
            throw new ParameterException(
                    spec.commandLine(), "--timeout is about an API server: it needs --control-plane");
        }
        PrintWriter err = spec.commandLine().getErr();
        Sandbox sandbox = options.existing();
        UpProgress progress = new UpProgress(err, InstantSource.system());
        String again = controlPlane
                ? ": run it again with the name that 'ouro nodes' says"
                : ": 'ouro up --name " + sandbox.name() + "' goes on from there";
        try (Interruption _ = Interruption.saying(
                () -> progress.step().isEmpty()
                        ? "interrupted before its first step"
                        : "interrupted while " + progress.step() + again,
                err)) {
            SandboxNode added = UpCommand.up(sandbox, progress)
                    .add(node, controlPlane ? timeout.or(() -> Optional.of(DEFAULT_TIMEOUT)) : Optional.empty());
            new SpokenLines(spec)
                    .say("node " + added.name() + (controlPlane ? " has joined the control plane" : " has joined"));
            output.print(spec, () -> data(sandbox, added));
        }
        return ExitCode.DONE;
    }

    private static ObjectNode data(Sandbox sandbox, SandboxNode added) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("sandbox", sandbox.name().value())
                .put("node", added.name())
                .put("address", added.requireAddress())
                .put("outcome", "added");
    }
}
