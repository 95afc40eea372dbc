package dev.ouroboros.cli.sandbox;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.console.OutcomeOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxNode;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro node add}. */
@Command(
        name = "add",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Adds a node to a sandbox that is up: it joins the cluster as a worker, and is ready when the command returns.",
            "It gets what the first node has now: programs, images, mirrors."
        },
        footer = {
            "",
            "Example:",
            "  ouro node add ouroboros-blue",
            "",
            "Killed at any moment, 'ouro up' goes on with it, and 'ouro node remove' takes it away."
        })
final class NodeAddCommand implements Callable<Integer> {
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

    @Mixin
    private final OutcomeOptions output = new OutcomeOptions();

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        Sandbox sandbox = options.existing();
        UpProgress progress = new UpProgress(err, InstantSource.system());
        String again = ": 'ouro up --name " + sandbox.name() + "' goes on from there";
        try (Interruption _ = Interruption.saying(
                () -> progress.step().isEmpty()
                        ? "interrupted before its first step"
                        : "interrupted while " + progress.step() + again,
                err)) {
            SandboxNode added = UpCommand.up(sandbox, progress).add(node);
            new SpokenLines(spec).say("node " + added.name() + " has joined");
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
