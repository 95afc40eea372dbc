package dev.ouroboros.endpoint;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/** Reads certificates in PEM. */
final class PemCertificates {
    private PemCertificates() {}

    /**
     * The certificates of a PEM text in their order.
     *
     * @throws IOException when there is none or one cannot be read
     */
    static List<X509Certificate> read(byte[] pem) throws IOException {
        try {
            List<X509Certificate> certificates = new ArrayList<>();
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (var certificate : factory.generateCertificates(new ByteArrayInputStream(pem))) {
                certificates.add((X509Certificate) certificate);
            }
            if (certificates.isEmpty()) {
                throw new IOException("no certificate in it");
            }
            return certificates;
        } catch (CertificateException e) {
            throw new IOException("not a PEM certificate: " + e.getMessage(), e);
        }
    }
}
