package dev.ouroboros.cli.sandbox;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ouro net}: the network between the nodes of a sandbox. */
@Command(
        name = "net",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        description = "Splits the network between the nodes of a sandbox, and heals it.",
        subcommands = {NetSplitCommand.class, NetHealCommand.class},
        footerHeading = "%nExamples:%n",
        footer = {"  ouro net split ouroboros,ouroboros-2 ouroboros-3", "  ouro net heal"})
public final class NetCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run().
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
