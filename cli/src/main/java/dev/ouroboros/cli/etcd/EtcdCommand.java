package dev.ouroboros.cli.etcd;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ouro etcd}: the members of a cluster's etcd. */
@Command(
        name = "etcd",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        description = "Shows how the members of a cluster's etcd are, and changes them.",
        subcommands = {
            EtcdStatusCommand.class,
            EtcdChangeCommand.class,
            EtcdJoinCommand.class,
            EtcdAddCommand.class,
            EtcdLeaveCommand.class,
            EtcdRemoveCommand.class,
            EtcdDefragmentCommand.class,
            EtcdRecoverCommand.class
        },
        footerHeading = "%nExamples:%n",
        footer = {"  ouro etcd status", "  ouro etcd change etcd.yaml", "  ouro etcd add ouroboros-2"})
public final class EtcdCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run().
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
