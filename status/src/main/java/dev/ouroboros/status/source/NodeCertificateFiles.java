package dev.ouroboros.status.source;

import dev.ouroboros.endpoint.CertificateDates;
import dev.ouroboros.endpoint.CertificateDates.Dated;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.status.seen.DatedCertificate;
import dev.ouroboros.status.seen.NodeSeen.NodeCertificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Certificates on a node's disk that no pod of the API refers to: those of etcd's member, where this project puts them, and the kubelet's. */
public final class NodeCertificateFiles {
    private static final String KUBELET_CERTIFICATES = "/var/lib/kubelet/pki";
    private static final String KUBELET_CLIENT = "kubelet-client-current.pem";

    private final NodePlace node;
    private final Disk disk;

    public NodeCertificateFiles(NodePlace node, Disk disk) {
        this.node = node;
        this.disk = disk;
    }

    /**
     * Which there are.
     *
     * @throws ProblemException INVALID_KEY_MATERIAL where one cannot be read
     */
    public NodeCertificates look() {
        return new NodeCertificates(
                below("/etc/kubernetes/etcd"),
                kubeletClient()
                        .map(file -> dated(
                                "kubelet's " + file.getFileName(),
                                disk.read(file).orElse(new byte[0])))
                        .orElse(List.of()));
    }

    private List<DatedCertificate> below(String directory) {
        List<DatedCertificate> found = new ArrayList<>();
        for (String name : disk.list(node.file(directory))) {
            if (name.endsWith(".crt") || name.endsWith(".pem")) {
                String file = directory + "/" + name;
                found.addAll(dated(file, disk.read(node.file(file)).orElse(new byte[0])));
            }
        }
        return found;
    }

    /** The kubelet's symbolic link has an absolute target, which from outside of the node is another file. */
    private Optional<Path> kubeletClient() {
        Path link = node.file(KUBELET_CERTIFICATES + "/" + KUBELET_CLIENT);
        try {
            return Files.isSymbolicLink(link)
                    ? Optional.of(
                            link.resolveSibling(Files.readSymbolicLink(link).getFileName()))
                    : Optional.empty();
        } catch (IOException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.INVALID_KEY_MATERIAL,
                            link.toString(),
                            "the link to the kubelet's certificate cannot be read: " + e.getMessage(),
                            "",
                            "run ouro as root; ls -l /var/lib/kubelet/pki shows where the link leads"),
                    e);
        }
    }

    static List<DatedCertificate> dated(String holder, byte[] content) {
        try {
            List<DatedCertificate> found = new ArrayList<>();
            for (Dated dated : CertificateDates.in(content)) {
                found.add(new DatedCertificate(
                        holder,
                        "",
                        dated.subject(),
                        dated.notAfter(),
                        dated.isAuthority(),
                        dated.issuer(),
                        dated.notBefore()));
            }
            return found;
        } catch (IOException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.INVALID_KEY_MATERIAL,
                            holder,
                            "its certificate cannot be read: " + e.getMessage(),
                            "",
                            "see what is in it: openssl x509 -text; ouro render writes those of the control plane anew"),
                    e);
        }
    }
}
