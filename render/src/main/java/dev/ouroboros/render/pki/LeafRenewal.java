package dev.ouroboros.render.pki;

import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/** Issues leaf certificates again, by a policy and with the authorities whose keys are here. */
public final class LeafRenewal {
    private final Authorities authorities;
    private final RenewalPolicy policy;
    private final InstantSource clock;
    private final SecureRandom random;

    /** @param clock the wall clock */
    public LeafRenewal(Authorities authorities, RenewalPolicy policy, InstantSource clock, SecureRandom random) {
        this.authorities = authorities;
        this.policy = policy;
        this.clock = clock;
        this.random = random;
    }

    /** What becomes of a leaf. */
    public sealed interface Outlook {
        /**
         * The leaf can be issued again.
         *
         * @param due when that is to happen
         * @param late from when on it no longer waits for a maintenance window
         */
        record Renews(Instant due, Instant late) implements Outlook {}

        /** The key of its authority is not here, or may not sign any more. */
        record NoAuthority() implements Outlook {}

        /** The leaf ends when its authority does: another one would not be valid for longer. */
        record EndsWithAuthority() implements Outlook {}

        /** When the first of several leaves is to be issued again, to the second; empty where none can be. */
        static Optional<Instant> firstDue(Stream<Outlook> outlooks) {
            return outlooks.flatMap(outlook -> outlook instanceof Renews(Instant due, Instant _)
                            ? Stream.of(due)
                            : Stream.<Instant>empty())
                    .min(Comparator.naturalOrder())
                    .map(due -> due.truncatedTo(ChronoUnit.SECONDS));
        }
    }

    public Outlook outlook(X509Certificate leaf) {
        Optional<Credential> authority = authorities.issuerOf(leaf, clock.instant());
        if (authority.isEmpty()) {
            return new Outlook.NoAuthority();
        }
        return leaf.getNotAfter()
                        .toInstant()
                        .isBefore(authority.get().certificate().getNotAfter().toInstant())
                ? new Outlook.Renews(policy.dueAt(leaf), policy.lateAt(leaf))
                : new Outlook.EndsWithAuthority();
    }

    /** Whether a leaf is to be issued again now. */
    public boolean isDue(X509Certificate leaf) {
        return outlook(leaf) instanceof Outlook.Renews(Instant due, Instant _) && !due.isAfter(clock.instant());
    }

    /** Whether a leaf is not valid any more. */
    public boolean hasEnded(X509Certificate leaf) {
        return leaf.getNotAfter().toInstant().isBefore(clock.instant());
    }

    /**
     * The same leaf, valid for longer, with a new key of the former one's kind; where we make no keys of that kind, with the former key.
     *
     * @return empty where the key of its authority is not here
     */
    public Optional<Credential> renewed(Credential former) {
        return again(former, keysAsOf(former));
    }

    /** The same leaf, of another authority than the one that issued it. */
    public Credential issuedBy(Credential authority, Credential former) {
        return again(authority, former, keysAsOf(former));
    }

    private KeyPair keysAsOf(Credential former) {
        return Fitness.algorithmOf(former.certificate().getPublicKey())
                .map(algorithm -> new Issuer(algorithm, clock, random).newKeys())
                .orElseGet(() -> new KeyPair(former.certificate().getPublicKey(), former.privateKey()));
    }

    /** The same leaf, valid for longer, with the key that it has: for a file that is exchanged while its key is in use. */
    public Optional<Credential> prolonged(Credential former) {
        return again(former, new KeyPair(former.certificate().getPublicKey(), former.privateKey()));
    }

    private Optional<Credential> again(Credential former, KeyPair keys) {
        return authorities
                .issuerOf(former.certificate(), clock.instant())
                .map(authority -> again(authority, former, keys));
    }

    private Credential again(Credential authority, Credential former, KeyPair keys) {
        return new Credential(
                new Issuer(KeyAlgorithm.ECDSA_P256, clock, random)
                        .again(authority, former.certificate(), keys.getPublic(), policy.lifetime()),
                keys.getPrivate());
    }
}
