package dev.ouroboros.cli.kubelet;

import dev.ouroboros.change.decide.NodeKubelet;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cluster.ClusterClient;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ouro kubelet status}. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Shows of every node which kubelet it has, what is wished of it, and how that stands, as its keeper or agent says.",
            "Exit code 3 when one does not run as is wished."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  ouro kubelet status --name ouroboros", "  ouro kubelet status -o json"})
final class KubeletStatusCommand implements Callable<Integer> {
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
            List<NodeKubelet> nodes = roll.rolling(client, spec).look().stream()
                    .filter(node -> roll.nodes().isEmpty() || roll.nodes().contains(node.name()))
                    .toList();
            output.print(spec, KubeletView.data(nodes), () -> KubeletView.text(nodes));
            return nodes.stream().allMatch(KubeletView::isAsWished) ? ExitCode.DONE : ExitCode.FINDINGS;
        }
    }
}
