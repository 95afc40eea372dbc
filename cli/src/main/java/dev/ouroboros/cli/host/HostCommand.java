package dev.ouroboros.cli.host;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ouro host}: a machine of one's own. */
@Command(
        name = "host",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        description = "Makes this machine, which systemd runs, a node, and takes it back.",
        subcommands = {HostPrepareCommand.class, HostJoinCommand.class, HostResetCommand.class},
        footerHeading = "%nExample:%n",
        footer = {"  ouro host prepare --asset-dir assets --dry-run", "  ouro host reset --dry-run"})
public final class HostCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run().
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
