package dev.ouroboros.render.pki;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;

/**
 * When leaves are issued again, and for how long they are good then.
 *
 * @param lifetime of a leaf that is issued
 */
public record RenewalPolicy(Duration lifetime) {
    /** As render makes them. */
    public static final RenewalPolicy STANDARD = new RenewalPolicy(Issuer.LEAF_LIFETIME);

    /** A third of its life is left when a leaf is issued again: four months of a year in which whatever stands in the way is noticed. */
    private static final int DUE = 3;
    /** A sixth of its life is left when nothing is waited for any more. */
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

    /** The same, of one that is good between two moments. */
    public Instant dueAt(Instant notBefore, Instant notAfter) {
        return notAfter.minus(lifeOf(notBefore, notAfter).dividedBy(DUE));
    }

    /** From when on it is issued again at any hour of the day. */
    public Instant lateAt(X509Certificate leaf) {
        return end(leaf)
                .minus(lifeOf(leaf.getNotBefore().toInstant(), end(leaf)).dividedBy(LATE));
    }

    /**
     * How long a leaf lives. One that was issued again begins when the first one of its name began ({@link Issuer#again}), so that its dates alone say too much; one that somebody else issued may live shorter
     * than ours.
     */
    private Duration lifeOf(Instant notBefore, Instant notAfter) {
        Duration whole = Duration.between(notBefore, notAfter);
        return whole.compareTo(lifetime) < 0 ? whole : lifetime;
    }

    private static Instant end(X509Certificate leaf) {
        return leaf.getNotAfter().toInstant();
    }
}
