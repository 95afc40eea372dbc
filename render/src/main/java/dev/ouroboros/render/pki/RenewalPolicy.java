package dev.ouroboros.render.pki;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;

/**
 * When leaves are issued again, and how long they are valid then.
 *
 * @param lifetime of a leaf that is issued
 */
public record RenewalPolicy(Duration lifetime) {
    /** As render makes them. */
    public static final RenewalPolicy STANDARD = new RenewalPolicy(Issuer.LEAF_LIFETIME);

    /** A leaf is due when a third of its life is left: of a year four months, in which whatever prevents it will be noticed. */
    private static final int DUE = 3;
    /** A leaf is late when a sixth of its life is left: then nothing is waited for. */
    private static final int LATE = 6;

    public RenewalPolicy {
        if (lifetime.isNegative() || lifetime.isZero()) {
            throw new IllegalArgumentException("a certificate that is good for " + lifetime);
        }
    }

    /** When a leaf is to be issued again. */
    public Instant dueAt(X509Certificate leaf) {
        return dueAt(leaf.getNotBefore().toInstant(), end(leaf));
    }

    /** As {@link #dueAt(X509Certificate)}, for a leaf with these dates. */
    public Instant dueAt(Instant notBefore, Instant notAfter) {
        return notAfter.minus(lifeOf(notBefore, notAfter).dividedBy(DUE));
    }

    /** When a leaf begins to be late: from then on it is issued again at any hour of the day. */
    public Instant lateAt(X509Certificate leaf) {
        return end(leaf)
                .minus(lifeOf(leaf.getNotBefore().toInstant(), end(leaf)).dividedBy(LATE));
    }

    /**
     * How long a leaf lives. Its dates may say more than our lifetime: one that was issued again begins when its first issue began ({@link
     * Issuer#again}). They may say less, of a leaf that somebody else issued.
     */
    private Duration lifeOf(Instant notBefore, Instant notAfter) {
        Duration whole = Duration.between(notBefore, notAfter);
        return whole.compareTo(lifetime) < 0 ? whole : lifetime;
    }

    private static Instant end(X509Certificate leaf) {
        return leaf.getNotAfter().toInstant();
    }
}
