package dev.ouroboros.cli.upgrade;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.upgrade.plan.PlanRequest;
import dev.ouroboros.upgrade.plan.StoredObjects;
import dev.ouroboros.upgrade.plan.Wanted;
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
    private UpgradePlace place = new UpgradePlace();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "The Cluster document; TARGET wins over its version (default: of a sandbox its own).")
    private Optional<Path> config = Optional.empty();

    @Option(
            names = "--emulated-version",
            paramLabel = "VERSION",
            description = {
                "From 1.31 on: the new programs serve as this older version, as in 1.35, so that they can be tried before its APIs, features and"
                        + " storage versions change, and taken back without a loss; 'none' ends it (default: what the Cluster document says)."
            })
    private Optional<String> emulated = Optional.empty();

    @Option(
            names = "--binaries",
            paramLabel = "DIR",
            description =
                    "Programs of the target: they are asked which flags they know; for a sandbox images are made of them.")
    private Optional<Path> binaries = Optional.empty();

    PlanRequest request(Optional<StoredObjects> snapshot, boolean asksForConflicts) {
        return new PlanRequest(
                place.endpoint(),
                wanted(),
                config(),
                place.knownAssets(),
                binaries,
                place.nodeRoot(),
                snapshot,
                place.sandbox().isPresent(),
                asksForConflicts);
    }

    /** What wins over the document. */
    Wanted wanted() {
        return new Wanted(
                target.map(text -> KubernetesVersion.parse(text)
                        .orElseThrow(() -> ProblemException.of(
                                ErrorCode.BAD_USAGE,
                                "TARGET",
                                "'" + text + "' is no version",
                                "one as in 1.21.0",
                                "ouro upgrade plan 1.21.0"))),
                emulated);
    }

    /** Whether somebody said what the cluster is to become. */
    boolean isGiven() {
        return target.isPresent() || config.isPresent() || emulated.isPresent();
    }

    /** The cluster, and the asset directory that it was made from. */
    UpgradePlace place() {
        return place;
    }

    Optional<Path> binaries() {
        return binaries;
    }

    Optional<Path> config() {
        return config.or(() -> place.sandbox().map(existing -> existing.paths().clusterDocument()));
    }
}
