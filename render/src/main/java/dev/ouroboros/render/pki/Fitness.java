package dev.ouroboros.render.pki;

import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.render.cluster.AlternativeName;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import java.security.PublicKey;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Whether certificates that exist can stay. */
public final class Fitness {
    /** A leaf that ends sooner is issued again. */
    static final Duration RENEW_BEFORE = Duration.ofDays(90);

    /** Index in {@link X509Certificate#getKeyUsage}. */
    private static final int KEY_CERT_SIGN = 5;

    private static final int P256_BITS = 256;
    private static final int RSA_BITS = 2048;

    private Fitness() {}

    /** Why a credential cannot be a certification authority; empty when it can. */
    public static List<String> refuseAuthority(Credential authority, Instant now) {
        X509Certificate certificate = authority.certificate();
        List<String> reasons = new ArrayList<>();
        if (!authority.fits()) {
            reasons.add("the private key does not belong to the certificate");
        }
        if (certificate.getBasicConstraints() < 0) {
            reasons.add("is not a certification authority (basic constraints)");
        }
        boolean[] usage = certificate.getKeyUsage();
        if (usage != null && !usage[KEY_CERT_SIGN]) {
            reasons.add("may not sign certificates (key usage)");
        }
        if (certificate.getNotAfter().toInstant().isBefore(now)) {
            reasons.add("expired on " + certificate.getNotAfter().toInstant());
        }
        if (certificate.getNotBefore().toInstant().isAfter(now)) {
            reasons.add("is not valid before " + certificate.getNotBefore().toInstant());
        }
        return reasons;
    }

    /** Why a leaf must be issued again; empty when it can stay. */
    public static Optional<String> outdated(X509Certificate leaf, Credential authority, Profile profile, Instant now) {
        if (!Authorities.hasIssued(authority.certificate(), leaf)) {
            return Optional.of("it was issued by another authority");
        }
        if (!leaf.getSubjectX500Principal().equals(profile.subject())) {
            return Optional.of("its subject changed");
        }
        if (!alternativeNames(leaf).equals(wanted(profile))) {
            return Optional.of("its names changed");
        }
        if (!usages(leaf)
                .equals(profile.usages().stream().map(Profile.Usage::identifier).collect(Collectors.toSet()))) {
            return Optional.of("its usages changed");
        }
        Instant ends = leaf.getNotAfter().toInstant();
        boolean endsWithAuthority =
                !ends.isBefore(authority.certificate().getNotAfter().toInstant());
        return ends.isBefore(now.plus(RENEW_BEFORE)) && !(endsWithAuthority && ends.isAfter(now))
                ? Optional.of("it ends on " + ends)
                : Optional.empty();
    }

    /** What a key was made with, where that is what we make keys with. */
    static Optional<KeyAlgorithm> algorithmOf(PublicKey key) {
        return Arrays.stream(KeyAlgorithm.values())
                .filter(algorithm -> isOf(key, algorithm))
                .findFirst();
    }

    static boolean isOf(PublicKey key, KeyAlgorithm algorithm) {
        return switch (algorithm) {
            case ECDSA_P256 ->
                key instanceof ECPublicKey curve
                        && curve.getParams().getCurve().getField().getFieldSize() == P256_BITS;
            case RSA_2048 -> key instanceof RSAPublicKey rsa && rsa.getModulus().bitLength() == RSA_BITS;
        };
    }

    private static Set<String> wanted(Profile profile) {
        return profile.names().stream().map(AlternativeName::value).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> alternativeNames(X509Certificate certificate) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return names == null
                    ? Set.of()
                    : names.stream().map(name -> String.valueOf(name.get(1))).collect(Collectors.toSet());
        } catch (CertificateParsingException e) {
            return Set.of("unreadable");
        }
    }

    private static Set<String> usages(X509Certificate certificate) {
        try {
            List<String> usages = certificate.getExtendedKeyUsage();
            return usages == null ? Set.of() : Set.copyOf(usages);
        } catch (CertificateParsingException e) {
            return Set.of("unreadable");
        }
    }
}
