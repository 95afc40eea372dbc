package dev.ouroboros.cli.sandbox;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.console.OutcomeOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ouro net heal}. */
@Command(
        name = "heal",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "All nodes of a sandbox hear each other again.",
        footer = {"", "Example:", "  ouro net heal"})
final class NetHealCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private SandboxOptions options = new SandboxOptions();

    @Mixin
    private final OutcomeOptions output = new OutcomeOptions();

    @Override
    public Integer call() {
        options.existing().heal();
        new SpokenLines(spec).say("sandbox " + options.name() + " is whole");
        output.print(
                spec,
                () -> JsonNodeFactory.instance
                        .objectNode()
                        .put("sandbox", options.name().value())
                        .put("outcome", "healed"));
        return ExitCode.DONE;
    }
}
