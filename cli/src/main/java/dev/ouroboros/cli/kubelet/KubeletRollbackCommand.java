package dev.ouroboros.cli.kubelet;

import dev.ouroboros.change.WishedKubelets;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cluster.ClusterClient;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ouro kubelet rollback}. */
@Command(
        name = "rollback",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Gives nodes back the kubelet that ran before the last change: the nodes that it has reached, or those that are named. One node after the other, as 'ouro kubelet set'.",
            "A node that is not Ready is told, too. May be killed at any moment: run again, it goes on."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every kubelet that is meant runs as before",
            "1:one did not; or time is up",
            "2:bad usage, or nothing was changed"
        },
        footerHeading = "%nExamples:%n",
        footer = {"  ouro kubelet rollback --name ouroboros", "  ouro kubelet rollback --node ouroboros-2"})
final class KubeletRollbackCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private final KubeletRollOptions roll = new KubeletRollOptions();

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        try (ClusterClient client = roll.connect()) {
            WishedKubelets.requireNone(client);
            Set<String> nodes = roll.rolling(client, spec).takeBack(roll.nodes());
            output.print(spec, KubeletView.changed(nodes), () -> KubeletView.changedText(nodes));
        }
        return ExitCode.DONE;
    }
}
