package dev.ouroboros.keeper.balancer.decide;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;

/**
 * What an API server of another node said last.
 *
 * @param away whether nobody answered who wanted to connect with it, so that its whole node is off, or cannot be reached
 * @param etcdAway whether the same is so where the node's etcd would be
 */
public record RemoteHealth(Evidence<Health> health, boolean away, boolean etcdAway) {
    /** Of one that was not asked yet. */
    public static final RemoteHealth NOT_ASKED = present(Evidence.unknown("was not asked yet"));

    /** Of one whose node is there. */
    public static RemoteHealth present(Evidence<Health> health) {
        return new RemoteHealth(health, false, false);
    }
}
