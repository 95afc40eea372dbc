package dev.ouroboros.cli.upgrade;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ouro upgrade}: a whole cluster to another version, and back. */
@Command(
        name = "upgrade",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisSubcommandLabel = "COMMAND",
        description = "A whole cluster to another version, in the order that the version skew policy allows.",
        subcommands = {UpgradePlanCommand.class, UpgradeApplyCommand.class, UpgradeRollbackCommand.class},
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro upgrade plan 1.21.0",
            "  ouro upgrade apply 1.21.0 --config cluster.yaml --asset-dir ./assets --snapshot-dir /backup",
            "  ouro upgrade rollback --asset-dir ./assets"
        })
public final class UpgradeCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run().
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
