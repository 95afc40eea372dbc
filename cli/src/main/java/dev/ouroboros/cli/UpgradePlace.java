package dev.ouroboros.cli;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.status.source.NodePlace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which cluster is upgraded, and the asset directory that it was made from. */
final class UpgradePlace {
    @Mixin
    private StatusTarget cluster = new StatusTarget();

    @Option(
            names = "--asset-dir",
            paramLabel = "DIR",
            description =
                    "The asset directory that the cluster was made from (default: the sandbox's, or this node's).")
    private Optional<Path> assetDirectory = Optional.empty();

    Endpoint endpoint() {
        return cluster.requiredEndpoint();
    }

    /** The node, as far as it can be seen from here. */
    Evidence<NodePlace> node() {
        return cluster.node();
    }

    Optional<Sandbox> sandbox() {
        return cluster.sandbox();
    }

    /** The asset directory, which must be there. */
    Path assets() {
        return existing(assetDirectory.or(this::ofSandbox));
    }

    /**
     * A directory that must be there.
     *
     * @param given empty for this node's
     */
    static Path existing(Optional<Path> given) {
        Path directory = given.orElse(NodeLayout.ASSETS);
        if (!Files.isDirectory(directory)) {
            throw ProblemException.of(
                    ErrorCode.INVALID_ASSET_DIRECTORY,
                    "--asset-dir " + directory,
                    "there is no such directory",
                    "the asset directory that the cluster was made from",
                    "ouro recover makes one from a cluster");
        }
        return directory;
    }

    private Optional<Path> ofSandbox() {
        return sandbox()
                .map(known -> known.node()
                        .orElseThrow(() -> ProblemException.of(
                                ErrorCode.NOT_FOUND,
                                "sandbox " + known.name(),
                                "its node does not run",
                                "",
                                "ouro up --name " + known.name()))
                        .file(NodeLayout.ASSETS));
    }
}
