package dev.ouroboros.model.leader;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A Lease as it was read again and again: whether somebody renews it is seen by what is written there, and not by the times that its holder's clock
 * has.
 *
 * @param last as it was read last; empty when nobody held it
 * @param renewedSince since when the same holder has been seen to renew it, by the reader's clock
 * @param changed when another content was seen last, by the reader's clock
 */
public record LeaseWatch(Optional<LeaderLease> last, Optional<Instant> renewedSince, Optional<Instant> changed) {
    public static final LeaseWatch NONE = new LeaseWatch(Optional.empty(), Optional.empty(), Optional.empty());

    /** Kubernetes' default for how long a Lease lasts: a leader renews every two seconds. */
    private static final Duration SILENCE = Duration.ofSeconds(15);

    /** What is known after another look. */
    public LeaseWatch after(Optional<LeaderLease> read, Instant now) {
        if (read.isEmpty() || last.isEmpty() || !isOf(read.get().holder())) {
            return new LeaseWatch(read, Optional.empty(), Optional.empty());
        }
        if (read.equals(last)) {
            return this;
        }
        Instant since = renewedSince.filter(_ -> isRenewed(now)).orElse(now);
        return new LeaseWatch(read, Optional.of(since), Optional.of(now));
    }

    /** Whether this one held it when it was read last. */
    public boolean isOf(String holder) {
        return last.filter(lease -> lease.holder().equals(holder)).isPresent();
    }

    /** Whether its holder is known to be alive. */
    public boolean isRenewed(Instant now) {
        return changed.filter(at -> now.isBefore(at.plus(SILENCE))).isPresent();
    }

    /** Whether the same holder has been alive for that long. */
    public boolean isRenewedFor(Duration time, Instant now) {
        return isRenewed(now)
                && renewedSince.filter(since -> !now.isBefore(since.plus(time))).isPresent();
    }
}
