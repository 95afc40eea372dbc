package dev.ouroboros.cli.sandbox;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ouro node}: one node of a sandbox. */
@Command(
        name = "node",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        description = "Adds a node to a sandbox, removes one, and turns one off and on.",
        subcommands = {NodeAddCommand.class, NodeRemoveCommand.class, NodeOffCommand.class, NodeOnCommand.class},
        footerHeading = "%nExamples:%n",
        footer = {"  ouro node add", "  ouro node off ouroboros-2"})
public final class NodeCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run().
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
