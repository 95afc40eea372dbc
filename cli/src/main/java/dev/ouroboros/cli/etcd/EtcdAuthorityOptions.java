package dev.ouroboros.cli.etcd;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.sandbox.node.NodeLayout;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The authority that signs certificates of etcd's members. */
public final class EtcdAuthorityOptions {
    @Option(
            names = "--asset-dir",
            paramLabel = "DIR",
            description =
                    "The cluster's asset directory, which has the authority of an etcd of ours, and a kubeconfig (default: the node's of a sandbox).")
    private Path assets = NodeLayout.ASSETS;

    @Option(
            names = "--etcd-ca-path",
            paramLabel = "FILE",
            description =
                    "Certificate of the authority that signed those of etcd's members, where it is not in the asset directory.")
    private Optional<Path> certificate = Optional.empty();

    @Option(names = "--etcd-ca-key-path", paramLabel = "FILE", description = "Its key.")
    private Optional<Path> key = Optional.empty();

    /** The cluster's asset directory. */
    Path assets() {
        return assets;
    }

    public Path certificate() {
        return certificate.orElseGet(() -> assets.resolve(AssetLayout.ETCD_CA_CERTIFICATE));
    }

    public Path key() {
        return key.orElseGet(() -> assets.resolve(AssetLayout.ETCD_CA_KEY));
    }
}
