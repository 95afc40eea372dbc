package dev.ouroboros.endpoint;

import dev.ouroboros.model.digest.Sha256;
import java.security.cert.X509Certificate;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Identifies a certification authority, short enough to be typed: SHA-256 of its public key as a SubjectPublicKeyInfo (RFC 7469 section 2.4), as
 * kubeadm's {@code --discovery-token-ca-cert-hash} has it.
 *
 * @param digits 64 hexadecimal digits
 */
public record AuthorityHash(String digits) {
    private static final String ALGORITHM = "sha256:";
    private static final Pattern FORM = Pattern.compile("(?:sha256:)?([0-9a-fA-F]{64})");

    public static AuthorityHash of(X509Certificate authority) {
        return new AuthorityHash(Sha256.hex(authority.getPublicKey().getEncoded()));
    }

    /** As {@link #toString} writes it; empty when it is something else. */
    public static Optional<AuthorityHash> parse(String text) {
        Matcher matcher = FORM.matcher(text);
        return matcher.matches()
                ? Optional.of(new AuthorityHash(matcher.group(1).toLowerCase(Locale.ROOT)))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return ALGORITHM + digits;
    }
}
