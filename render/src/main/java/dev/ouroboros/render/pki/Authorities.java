package dev.ouroboros.render.pki;

import dev.ouroboros.model.credential.Credential;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Certification authorities whose keys this process has. */
public record Authorities(List<Credential> all) {
    public Authorities {
        all = List.copyOf(all);
    }

    /** The authority that issued a leaf and may issue another one; empty where its key is not among these. */
    public Optional<Credential> issuerOf(X509Certificate leaf, Instant now) {
        return all.stream()
                .filter(authority -> hasIssued(authority.certificate(), leaf))
                .filter(authority -> Fitness.refuseAuthority(authority, now).isEmpty())
                .findFirst();
    }

    /** Whether the authority's key signed the leaf, and the leaf names it as its issuer. */
    public static boolean hasIssued(X509Certificate authority, X509Certificate leaf) {
        try {
            leaf.verify(authority.getPublicKey());
            return leaf.getIssuerX500Principal().equals(authority.getSubjectX500Principal());
        } catch (GeneralSecurityException e) {
            // The signature is not this authority's.
            return false;
        }
    }
}
