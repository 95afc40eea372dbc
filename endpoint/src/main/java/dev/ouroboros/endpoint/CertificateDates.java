package dev.ouroboros.endpoint;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Until when the certificates in a file are good: in PEM files with or without keys, and in kubeconfigs. */
public final class CertificateDates {
    /** A kubeconfig as YAML or JSON. */
    private static final Pattern EMBEDDED =
            Pattern.compile("\"?(?:client-certificate|certificate-authority)-data\"?:\\s*\"?([A-Za-z0-9+/=]+)");

    private CertificateDates() {}

    /**
     * One certificate.
     *
     * @param subject its distinguished name
     * @param notAfter until when it is good
     * @param isAuthority whether it signs others
     * @param issuer distinguished name of the authority that signed it
     * @param notBefore from when on it is good
     */
    public record Dated(String subject, Instant notAfter, boolean isAuthority, String issuer, Instant notBefore) {}

    /**
     * Every certificate in a file; none in a file of another kind.
     *
     * @throws IOException when one is there and cannot be read
     */
    public static List<Dated> in(byte[] content) throws IOException {
        String text = new String(content, StandardCharsets.ISO_8859_1);
        List<Dated> found = new ArrayList<>(ofPem(text));
        Matcher embedded = EMBEDDED.matcher(text);
        while (embedded.find()) {
            try {
                byte[] decoded = Base64.getDecoder().decode(embedded.group(1));
                found.addAll(ofPem(new String(decoded, StandardCharsets.ISO_8859_1)));
            } catch (IllegalArgumentException e) {
                throw new IOException("not base64: " + e.getMessage(), e);
            }
        }
        return List.copyOf(found);
    }

    private static List<Dated> ofPem(String text) throws IOException {
        return PemCertificates.in(text).stream()
                .map(certificate -> new Dated(
                        certificate.getSubjectX500Principal().getName(),
                        certificate.getNotAfter().toInstant(),
                        certificate.getBasicConstraints() >= 0,
                        certificate.getIssuerX500Principal().getName(),
                        certificate.getNotBefore().toInstant()))
                .toList();
    }
}
