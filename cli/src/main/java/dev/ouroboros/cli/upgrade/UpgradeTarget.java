package dev.ouroboros.cli.upgrade;

import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.upgrade.plan.PlanRequest;
import dev.ouroboros.upgrade.plan.StoredObjects;
import dev.ouroboros.upgrade.plan.Wanted;
import java.nio.file.Files;
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

    @Option(
            names = "--kubelet",
            paramLabel = "FILE",
            description = {
                "The target's kubelet, which every node gets after everything else, one after the other. On machines of one's own 'ouro kubelet load FILE' brings it to each before; in a sandbox"
                        + " that is done (default: in a sandbox the one of --binaries)."
            })
    private Optional<Path> kubelet = Optional.empty();

    @Option(names = "--no-kubelets", description = "Leave kubelets as they are.")
    private boolean noKubelets;

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
                kubelet().isPresent(),
                asksForConflicts);
    }

    /** The program that every node's kubelet is to be; empty to leave them. */
    Optional<Path> kubelet() {
        Optional<Path> ofBinaries = binaries.filter(_ -> place.sandbox().isPresent())
                .map(directory -> directory.resolve(Binary.KUBELET.fileName()))
                .filter(Files::isRegularFile);
        return noKubelets ? Optional.empty() : kubelet.or(() -> ofBinaries);
    }

    /** Settings that override the document. */
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

    /** Whether an option says what the cluster is to become. */
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
