package dev.ouroboros.upgrade.plan;

import dev.ouroboros.endpoint.CertificateDates;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import dev.ouroboros.upgrade.decide.ClusterSeen.Expiry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Until when the certificates of an asset directory and of a kubelet are good. */
final class Certificates {
    private static final Path KUBELET = Path.of("var/lib/kubelet/pki/kubelet-client-current.pem");

    private static final String ETCD_TLS = AssetLayout.TLS + "/etcd";

    private Certificates() {}

    static Evidence<List<Expiry>> of(Disk disk, Optional<Path> assetDirectory, Optional<Path> nodeRoot) {
        if (assetDirectory.isEmpty()) {
            return Evidence.unknown("no asset directory was given");
        }
        List<Expiry> expiries = new ArrayList<>();
        try {
            for (String part : List.of(AssetLayout.TLS, ETCD_TLS, AssetLayout.AUTH)) {
                Path directory = assetDirectory.get().resolve(part);
                for (String name : disk.list(directory)) {
                    add(disk, directory.resolve(name), part + "/" + name, expiries);
                }
            }
            if (nodeRoot.isPresent()) {
                add(disk, nodeRoot.get().resolve(KUBELET), "/" + KUBELET, expiries);
            }
        } catch (ProblemException e) {
            return Evidence.unknown(e.describe());
        } catch (IOException e) {
            return Evidence.unknown("a certificate cannot be read: " + e.getMessage());
        }
        return expiries.isEmpty()
                ? Evidence.unknown(assetDirectory.get() + " has no certificates")
                : Evidence.known(List.copyOf(expiries));
    }

    private static void add(Disk disk, Path file, String where, List<Expiry> expiries) throws IOException {
        boolean isDirectory = disk.status(file)
                .filter(status -> status.kind() == FileStatus.Kind.DIRECTORY)
                .isPresent();
        Optional<byte[]> content = isDirectory ? Optional.empty() : disk.read(file);
        if (content.isPresent()) {
            CertificateDates.in(content.get())
                    .forEach(dated -> expiries.add(new Expiry(where, dated.subject(), dated.notAfter())));
        }
    }
}
