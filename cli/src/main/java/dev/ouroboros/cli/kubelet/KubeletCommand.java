package dev.ouroboros.cli.kubelet;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ouro kubelet}: the kubelets of a cluster. */
@Command(
        name = "kubelet",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        description =
                "Shows how the kubelets of a cluster stand, and changes them: one node after the other, and back by themselves.",
        subcommands = {
            KubeletStatusCommand.class,
            KubeletLoadCommand.class,
            KubeletSetCommand.class,
            KubeletRollbackCommand.class
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro kubelet status --name ouroboros",
            "  ouro kubelet set --name ouroboros --config maxPods=50",
            "  ouro kubelet rollback --name ouroboros"
        })
public final class KubeletCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run().
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
