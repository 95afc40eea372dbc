package dev.ouroboros.model.front;

import java.time.Duration;
import java.util.Optional;

/**
 * What is known of the front in the kernel. A failed reading is {@link Unknown}, which is neither "not installed" nor
 * "points to the principal": on such a reading nothing may be retired.
 */
public sealed interface FrontState {
    /** The kernel could not be asked, or gave an answer that we do not understand. */
    record Unknown(String reason) implements FrontState {}

    /** There is no table of our name. */
    record NotInstalled() implements FrontState {}

    /** There is a table of our name that we did not make; we neither change nor remove it. */
    record Foreign(String description) implements FrontState {}

    /** The table is ours, but differs from what its specification yields: install it again, then point it again. */
    record Damaged(String what) implements FrontState {}

    /**
     * Installed, and the principal gets new connections; the understudy gets them when nothing listens on the principal's port.
     *
     * @param cutOff time for which the principal is cut off, unless that is renewed; whole seconds
     */
    record ToPrincipal(Optional<Duration> cutOff) implements FrontState {
        public ToPrincipal() {
            this(Optional.empty());
        }
    }

    /**
     * Installed, and the understudy gets new connections.
     *
     * @param remaining time until the principal gets them again unless the lease is renewed; whole seconds
     * @param cutOff time for which the principal is cut off, unless that is renewed; whole seconds
     */
    record ToUnderstudy(Duration remaining, Optional<Duration> cutOff) implements FrontState {
        public ToUnderstudy(Duration remaining) {
            this(remaining, Optional.empty());
        }
    }

    /** Time for which packets to the principal are answered with a reset; empty when they get there. */
    default Optional<Duration> cutOff() {
        return Optional.empty();
    }
}
