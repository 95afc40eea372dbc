package dev.ouroboros.core.front;

import java.time.Duration;

/**
 * How long the kernel obeys whoever pointed the front, without another word of theirs.
 *
 * <p>A lease to the understudy must outlive a keeper that is late, stopped, or replaced on a slow machine. It can be long, because it is
 * not what saves clients of a dead understudy: the kernel leaves a closed port within a second, lease or not ({@link FrontRules}), and the
 * kubelet ends an understudy that hangs. A cut is another matter: it resets connections of a server that may have come to itself.
 */
public final class FrontLease {
    public static final Duration TO_UNDERSTUDY = Duration.ofMinutes(5);
    public static final Duration CUT_OFF = Duration.ofSeconds(20);

    /** Renewed when less than this part of a lease is left: two renewals may fail before it runs out. */
    private static final double RENEWAL = 0.6;

    private FrontLease() {}

    public static boolean mustRenew(Duration lease, Duration remaining) {
        return remaining.toMillis() < lease.toMillis() * RENEWAL;
    }
}
