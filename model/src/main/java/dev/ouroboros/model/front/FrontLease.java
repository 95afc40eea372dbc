package dev.ouroboros.model.front;

import java.time.Duration;

/**
 * How long a setting of the front stays in force in the kernel unless it is renewed.
 *
 * <p>A lease to the understudy must outlive a keeper that is late, stopped, or replaced on a slow machine. It can be long, because
 * clients of a dead understudy do not depend on it: the kernel sends them away from a closed port within a second, lease or not
 * ({@link FrontRules}), and the kubelet ends an understudy that hangs. A cut-off is short, because it resets connections of a server
 * that may have recovered.
 */
public final class FrontLease {
    public static final Duration TO_UNDERSTUDY = Duration.ofMinutes(5);
    public static final Duration CUT_OFF = Duration.ofSeconds(20);

    /** A lease is renewed when less than this part of it is left: two renewals may fail before it runs out. */
    private static final double RENEWAL = 0.6;

    private FrontLease() {}

    public static boolean mustRenew(Duration lease, Duration remaining) {
        return remaining.toMillis() < lease.toMillis() * RENEWAL;
    }
}
