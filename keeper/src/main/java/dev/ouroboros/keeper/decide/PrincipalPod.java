package dev.ouroboros.keeper.decide;

import java.time.Duration;
import java.util.Optional;

/**
 * A pod of a component on this node, as the API server has it; ready and restarts as the runtime has them, too.
 *
 * @param uid of the pod
 * @param name of the pod
 * @param ready whether the kubelet says it is Ready, and its containers run
 * @param terminating whether it has a deletion timestamp
 * @param restarts sum over its containers, without those from a reboot of the machine, which restarts whole pods
 * @param failed whether its phase is Failed or Succeeded: it will never run again
 * @param bootedIn how long its container ran before the kubelet said that it is Ready; empty when it is not
 */
public record PrincipalPod(
        String uid,
        String name,
        boolean ready,
        boolean terminating,
        int restarts,
        boolean failed,
        Optional<Duration> bootedIn) {
    public PrincipalPod {
        if (uid.isEmpty() || name.isEmpty()) {
            throw new IllegalArgumentException("a pod has a uid and a name, not '" + uid + "' and '" + name + "'");
        }
    }

    /** One of which nobody knows how long it took. */
    public PrincipalPod(String uid, String name, boolean ready, boolean terminating, int restarts, boolean failed) {
        this(uid, name, ready, terminating, restarts, failed, Optional.empty());
    }

    /** The same pod with what the runtime sees. */
    public PrincipalPod seen(boolean isReady, int ends) {
        return new PrincipalPod(uid, name, isReady, terminating, ends, failed, bootedIn);
    }

    /** Whether it may still become, or is, what serves. */
    public boolean isAlive() {
        return !terminating && !failed;
    }
}
