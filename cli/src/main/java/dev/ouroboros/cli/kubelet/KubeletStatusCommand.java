package dev.ouroboros.cli.kubelet;

import dev.ouroboros.change.KubeletRolling;
import dev.ouroboros.change.decide.KubeletManner;
import dev.ouroboros.change.decide.NodeKubelet;
import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.node.clock.MonotonicClock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private StatusTarget target = new StatusTarget();

    @Option(names = "--node", paramLabel = "NODE", description = "A node to show; may be given again (default: all).")
    private List<String> names = new ArrayList<>();

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        InstantSource clock = new MonotonicClock(InstantSource.system().instant());
        try (ClusterClient client = ClusterClient.connect(target.requiredEndpoint())) {
            KubeletRolling kubelets = new KubeletRolling(
                    client, new SpokenLines(spec, clock), PATIENCE, new KubeletManner(Duration.ZERO, false), clock);
            List<NodeKubelet> nodes = kubelets.look().stream()
                    .filter(node -> names.isEmpty() || names.contains(node.name()))
                    .toList();
            output.print(spec, KubeletView.data(nodes), () -> KubeletView.text(nodes));
            return nodes.stream().allMatch(NodeKubelet::isSettled) ? ExitCode.DONE : ExitCode.FINDINGS;
        }
    }
}
