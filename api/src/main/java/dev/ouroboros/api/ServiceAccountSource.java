package dev.ouroboros.api;

import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The ServiceAccount of a pod, as the kubelet mounts it: a token, which the kubelet replaces before it expires, and the cluster's authority.
 *
 * @param directory with both files
 * @param server of the {@code kubernetes} Service
 */
public record ServiceAccountSource(Disk disk, Path directory, URI server) implements EndpointSource {
    /** Where the kubelet puts them. */
    public static final Path DIRECTORY = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    private static final String TOKEN = "token";
    private static final String AUTHORITY = "ca.crt";
    /** Separates the two parts of the text: neither can contain it. */
    private static final String BORDER = "\0";

    @Override
    public String text() throws ApiException {
        return read(TOKEN).strip() + BORDER + read(AUTHORITY);
    }

    private String read(String name) throws ApiException {
        Path file = directory.resolve(name);
        return disk.readText(file).orElseThrow(() -> new ApiException(Kind.NO_CREDENTIALS, file + ": no such file"));
    }

    @Override
    public Endpoint endpoint(String text) {
        int border = text.indexOf(BORDER);
        List<X509Certificate> authorities = certificates(text.substring(border + 1));
        if (border == 0 || authorities.isEmpty()) {
            throw unusable(border == 0 ? "the token is empty" : AUTHORITY + " holds no certificate");
        }
        return Endpoint.of(server, authorities, Optional.empty(), Optional.of(text.substring(0, border)));
    }

    private List<X509Certificate> certificates(String pem) {
        try {
            List<X509Certificate> certificates = new ArrayList<>();
            for (var certificate : CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)))) {
                certificates.add((X509Certificate) certificate);
            }
            return certificates;
        } catch (CertificateException e) {
            throw unusable(AUTHORITY + ": " + e.getMessage());
        }
    }

    private ProblemException unusable(String what) {
        return ProblemException.of(
                ErrorCode.INVALID_KEY_MATERIAL,
                directory.toString(),
                what,
                "the token and the authority that the kubelet mounts",
                "delete the pod: its successor gets them anew");
    }
}
