package dev.ouroboros.cli;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.core.version.KubernetesVersion;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.RunningNode;
import dev.ouroboros.status.source.NodePlace;
import dev.ouroboros.upgrade.plan.PlanRequest;
import dev.ouroboros.upgrade.plan.SnapshotSource;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which cluster, what it was made from, and what it is to become: what the commands of {@code ouro upgrade} have in common. */
final class UpgradeTarget {
    @Parameters(
            arity = "0..1",
            paramLabel = "TARGET",
            description = "The version to go to, as in 1.21.0 (default: the one that --config asks for).")
    private Optional<String> target = Optional.empty();

    @Mixin
    private StatusTarget cluster = new StatusTarget();

    @Option(
            names = "--asset-dir",
            paramLabel = "DIR",
            description = "What the cluster was last made from (default: of a sandbox its node's).")
    private Optional<Path> assetDirectory = Optional.empty();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "The Cluster document; TARGET wins over its version (default: of a sandbox its own).")
    private Optional<Path> config = Optional.empty();

    @Option(
            names = "--binaries",
            paramLabel = "DIR",
            description =
                    "Programs of the target: they are asked which flags they know; for a sandbox images are made of them.")
    private Optional<Path> binaries = Optional.empty();

    PlanRequest request(Optional<SnapshotSource> snapshot) {
        return new PlanRequest(
                cluster.requiredEndpoint(), version(), config(), assets(), binaries, nodeRoot(), snapshot, isSandbox());
    }

    Optional<KubernetesVersion> version() {
        return target.map(text -> KubernetesVersion.parse(text)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.BAD_USAGE, "TARGET", "'" + text + "' is no version", "one as in 1.21.0", "")));
    }

    /** Whether somebody said what the cluster is to become. */
    boolean isGiven() {
        return target.isPresent() || config.isPresent();
    }

    Endpoint endpoint() {
        return cluster.requiredEndpoint();
    }

    Optional<Sandbox> sandbox() {
        return cluster.sandbox();
    }

    Optional<Path> binaries() {
        return binaries;
    }

    private boolean isSandbox() {
        return cluster.sandbox().isPresent();
    }

    Optional<Path> config() {
        return config.or(
                () -> cluster.sandbox().map(existing -> existing.paths().clusterDocument()));
    }

    /** Of a sandbox without power there is none. */
    Optional<Path> assets() {
        Optional<RunningNode> node = cluster.sandbox().flatMap(Sandbox::node);
        return assetDirectory.or(() -> node.map(running -> running.file(NodeLayout.ASSETS)));
    }

    private Optional<Path> nodeRoot() {
        return cluster.node() instanceof Evidence.Known<NodePlace>(NodePlace place)
                ? Optional.of(place.root())
                : Optional.empty();
    }
}
