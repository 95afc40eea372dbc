package dev.ouroboros.endpoint;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Reads certificates in PEM. */
final class PemCertificates {
    private static final String BEGIN = "-----BEGIN CERTIFICATE-----";
    private static final Pattern BLOCK = Pattern.compile(BEGIN + "[^-]+-----END CERTIFICATE-----");

    private PemCertificates() {}

    /**
     * The certificates of a PEM text in their order. Other blocks are passed over: a kubelet keeps its certificate and its key in one file.
     *
     * @throws IOException when there is none or one cannot be read
     */
    static List<X509Certificate> read(byte[] pem) throws IOException {
        List<X509Certificate> certificates = in(new String(pem, StandardCharsets.ISO_8859_1));
        // A text without such a block may be damaged, or in another form: the factory's exception says so.
        return certificates.isEmpty() ? parse(pem) : certificates;
    }

    /** The certificates in a text; none where it has none. */
    static List<X509Certificate> in(String text) throws IOException {
        List<X509Certificate> certificates = new ArrayList<>();
        List<MatchResult> blocks = BLOCK.matcher(text).results().toList();
        if (text.split(BEGIN, -1).length - 1 != blocks.size()) {
            throw new IOException("a certificate in it is damaged or cut off");
        }
        for (MatchResult block : blocks) {
            certificates.addAll(parse(block.group().getBytes(StandardCharsets.ISO_8859_1)));
        }
        return certificates;
    }

    private static List<X509Certificate> parse(byte[] pem) throws IOException {
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
