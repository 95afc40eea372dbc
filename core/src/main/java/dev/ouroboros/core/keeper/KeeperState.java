package dev.ouroboros.core.keeper;

import java.time.Instant;

/**
 * What a keeper remembers between decisions: since when things have been as they are. Kept in memory only: a keeper that
 * starts anew counts from its start.
 *
 * @param begun when this keeper began
 */
public record KeeperState(Instant begun) {
    public static KeeperState initial(Instant now) {
        return new KeeperState(now);
    }
}
