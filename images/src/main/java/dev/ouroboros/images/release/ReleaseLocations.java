package dev.ouroboros.images.release;

import static java.util.Objects.requireNonNull;

import java.net.URI;

/**
 * Where releases are downloaded from; a mirror has the same layout below another address.
 *
 * @param kubernetes has {@code /release/stable.txt} and {@code /release/vX/bin/linux/ARCH/NAME}, each with a checksum in a file
 *     of the same name and {@code .sha256} or {@code .sha512}
 * @param etcd has {@code /vX/etcd-vX-linux-ARCH.tar.gz} and {@code /vX/SHA256SUMS}
 */
public record ReleaseLocations(URI kubernetes, URI etcd) {
    /** The addresses that the projects' own documentation names. */
    public static final ReleaseLocations OFFICIAL = new ReleaseLocations(
            URI.create("https://dl.k8s.io"), URI.create("https://github.com/etcd-io/etcd/releases/download"));

    public ReleaseLocations {
        requireNonNull(kubernetes, "kubernetes");
        requireNonNull(etcd, "etcd");
    }

    URI stableVersion() {
        return URI.create(kubernetes + "/release/stable.txt");
    }

    URI kubernetesFile(String version, String architecture, String name) {
        return URI.create(kubernetes + "/release/v" + version + "/bin/linux/" + architecture + "/" + name);
    }

    URI etcdFile(String version, String name) {
        return URI.create(etcd + "/v" + version + "/" + name);
    }
}
