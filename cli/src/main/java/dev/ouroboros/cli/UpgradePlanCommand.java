package dev.ouroboros.cli;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.core.upgrade.VersionStep;
import dev.ouroboros.core.version.KubernetesVersion;
import dev.ouroboros.upgrade.plan.ServerVersion;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro upgrade plan}. */
@Command(
        name = "plan",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Says how a cluster becomes another version, and what stands against it. Changes nothing.",
        footer = {"", "Example:", "  ouro upgrade plan 1.21.0"})
final class UpgradePlanCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(paramLabel = "TARGET", description = "The version to go to, for example 1.21.0.")
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private String target;

    @Mixin
    private StatusTarget cluster = new StatusTarget();

    @Override
    public Integer call() {
        KubernetesVersion wanted = KubernetesVersion.parse(target)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.BAD_USAGE, "TARGET", "'" + target + "' is no version", "as in 1.21.0", ""));
        try (ClusterClient client = ClusterClient.connect(cluster.requiredEndpoint())) {
            KubernetesVersion now = required(ServerVersion.read(new ClusterReader(client)));
            VersionStep step = new VersionStep(now, wanted);
            PrintWriter out = spec.commandLine().getOut();
            out.println("kube-apiserver " + step.now() + " -> " + step.target());
            out.flush();
            return Ouro.EXIT_DONE;
        }
    }

    private static KubernetesVersion required(Evidence<KubernetesVersion> version) {
        return switch (version) {
            case Evidence.Known<KubernetesVersion>(KubernetesVersion known) -> known;
            case Evidence.Unknown<KubernetesVersion>(String why) ->
                throw ProblemException.of(ErrorCode.API_UNAVAILABLE, "kube-apiserver", why, "", "ouro status");
        };
    }
}
