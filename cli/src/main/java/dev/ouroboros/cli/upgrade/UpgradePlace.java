package dev.ouroboros.cli.upgrade;

import dev.ouroboros.cli.cluster.NodeOption;
import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxRecord;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.status.source.NodePlace;
import dev.ouroboros.upgrade.apply.UpgradeJournal;
import dev.ouroboros.upgrade.decide.Release;
import dev.ouroboros.upgrade.run.ClusterUpgrade;
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

    StatusTarget cluster() {
        return cluster;
    }

    Endpoint endpoint() {
        return cluster.requiredEndpoint();
    }

    /** The cluster that is changed from here, with its asset directory. */
    ClusterUpgrade.Site site() {
        return new ClusterUpgrade.Site(
                assets(),
                this::endpoint,
                sandbox().map(existing -> existing.paths().clusterDocument()));
    }

    /** The node, as far as it can be seen from here. */
    Evidence<NodePlace> node() {
        return cluster.node();
    }

    /** As {@link #node()}, unless another was named. */
    Evidence<NodePlace> node(NodeOption named) {
        return cluster.node(named);
    }

    Optional<Sandbox> sandbox() {
        return cluster.sandbox();
    }

    /** The root of that node's file system. */
    Optional<Path> nodeRoot() {
        return node() instanceof Evidence.Known<NodePlace>(NodePlace known)
                ? Optional.of(known.root())
                : Optional.empty();
    }

    /**
     * Records the version that a sandbox has now, for commands that list nodes, add some or make images. After a run that has not ended nothing is
     * recorded: components are of either version then.
     *
     * @throws ProblemException LOCKED when another process changes the sandbox; the same command again records it
     */
    void remember(UpgradeJournal journal) {
        Optional<String> version = journal.reached().map(Release::version);
        Optional<Sandbox> other = sandbox()
                .filter(known -> !known.record()
                        .flatMap(SandboxRecord::kubernetesVersion)
                        .equals(version));
        if (version.isPresent() && other.isPresent()) {
            other.get().exclusively(() -> {
                other.get().remember(record -> record.withKubernetesVersion(version.get()));
                return version;
            });
        }
    }

    /**
     * The asset directory.
     *
     * @throws ProblemException when it is not there
     */
    Path assets() {
        Path directory = assetDirectory.orElseGet(
                () -> sandbox().map(UpgradePlace::ofNode).orElse(NodeLayout.ASSETS));
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

    /** The asset directory as far as it is known: a sandbox without power has none, and a machine that is no node has none. */
    Optional<Path> knownAssets() {
        if (assetDirectory.isPresent()) {
            return assetDirectory;
        }
        return sandbox().isPresent()
                ? sandbox().flatMap(Sandbox::node).map(node -> node.file(NodeLayout.ASSETS))
                : nodeRoot().map(_ -> NodeLayout.ASSETS).filter(Files::isDirectory);
    }

    private static Path ofNode(Sandbox sandbox) {
        return sandbox.requireNode("ouro up --name " + sandbox.name()).file(NodeLayout.ASSETS);
    }
}
