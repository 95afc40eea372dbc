package dev.ouroboros.status.seen;

import java.time.Instant;

/**
 * Until when a certificate is good.
 *
 * @param holder what it is part of: a Secret's name, or a file
 * @param entry which entry of the Secret; empty for a file
 * @param subject its distinguished name
 * @param isAuthority whether it signs others
 * @param issuer distinguished name of the authority that signed it
 * @param notBefore from when on it is good
 */
public record DatedCertificate(
        String holder,
        String entry,
        String subject,
        Instant notAfter,
        boolean isAuthority,
        String issuer,
        Instant notBefore) {
    /** As a person looks for it. */
    public String where() {
        return entry.isEmpty() ? holder : "Secret " + holder + ", " + entry;
    }
}
