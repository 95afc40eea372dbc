package dev.ouroboros.cli.kubelet;

import dev.ouroboros.change.KubeletRolling;
import dev.ouroboros.change.WishedKubelets;
import dev.ouroboros.change.decide.NodeKubelet;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.render.manifest.KubeletFlags;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro kubelet set}. */
@Command(
        name = "set",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Wishes other settings of kubelets, beside those that were wished before, and waits until each runs with them: one node after the other, workers first. Pods go on.",
            "A kubelet that does not run with them is taken back by its node, without an API and without this command, and no other node is touched. May be killed at any moment: run again, it"
                    + " goes on."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every kubelet that is meant runs as is wished",
            "1:one did not, and its node went back; or time is up",
            "2:bad usage, or a setting that cannot be changed on a node that has pods"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro kubelet set --name ouroboros --config maxPods=50 --config imageMaximumGCAge=72h",
            "  ouro kubelet set --node ouroboros-2 --argument v=4",
            "  ouro kubelet set --name ouroboros --program ./kubelet",
            "  ouro kubelet set --clear    # as the nodes were made"
        })
final class KubeletSetCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private final KubeletRollOptions roll = new KubeletRollOptions();

    @Mixin
    private final WishOptions wish = new WishOptions();

    @Option(
            names = "--program",
            paramLabel = "FILE",
            description =
                    "Another kubelet, with what its version needs. In a sandbox it is put on every node; other machines get it by 'ouro kubelet load' first.")
    private Optional<Path> program = Optional.empty();

    @Option(names = "--clear", description = "Keep nothing of what was wished before.")
    private boolean clear;

    @Option(names = "--again", description = "Try once more what has failed.")
    private boolean again;

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        if (!wish.isGiven() && program.isEmpty() && !clear && !again) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "ouro kubelet set",
                    "nothing is wished",
                    "--config, --unset-config, --argument, --unset-argument, --program, --clear or --again",
                    "ouro kubelet set --help has examples");
        }
        KubeletWish more = wish.wish();
        try (ClusterClient client = roll.connect()) {
            WishedKubelets.requireNone(client);
            KubeletRolling rolling = roll.rolling(client, spec);
            if (program.isPresent()) {
                KubeletProgram other = KubeletProgram.of(program.get());
                other.requireSkew(client.serverVersion());
                more = other.wish().and(more);
                requireFlags(rolling, more, Optional.of(other.version()));
                other.bring(roll.target(), new SpokenLines(spec)::say);
            } else {
                requireFlags(rolling, more, Optional.empty());
            }
            Set<String> nodes = rolling.set(roll.nodes(), new KubeletRolling.Request(more, clear, again));
            output.print(spec, KubeletView.changed(nodes), () -> KubeletView.changedText(nodes));
        }
        return ExitCode.DONE;
    }

    /** With what is wished of each node already. */
    private void requireFlags(KubeletRolling rolling, KubeletWish more, Optional<KubernetesVersion> other) {
        for (NodeKubelet node : rolling.look()) {
            boolean isMeant = roll.nodes().isEmpty() || roll.nodes().contains(node.name());
            Optional<KubernetesVersion> version = other.or(() -> clear ? Optional.empty() : node.wishedVersion())
                    .or(() -> KubernetesVersion.parse(node.version()));
            if (isMeant && version.isPresent()) {
                KubeletFlags.require("--argument ", version.get(), List.of(clear ? "" : node.wish()), more);
            }
        }
    }
}
