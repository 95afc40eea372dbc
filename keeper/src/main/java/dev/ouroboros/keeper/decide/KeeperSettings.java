package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.front.FrontLease;
import java.time.Duration;

/**
 * Times of a keeper.
 *
 * @param failover how long a principal must have failed without a good probe in between before its understudy starts; a container
 *     that is known to be dead is not waited for
 * @param patience how long a living pod of a component that cannot be probed is waited for when it is not ready: the kubelet
 *     restarts it, and no other instance becomes leader before the former leader's Lease has expired, or was released, anyway
 * @param leaderPatience the same of a controller manager or scheduler whose containers all run: it may be slow to reach the API, and no other
 *     would lead before its Lease has ended
 * @param steady how long a principal must have been ready without interruption before its understudy gives way
 * @param drain how long an understudy goes on after new connections were sent elsewhere
 * @param soak how long a pod must have been healthy before its checkpoint is last-good
 * @param prove how long a candidate must have answered every question well, without interruption, before it gets traffic
 * @param candidateDeadline how long a candidate, and then the principal that is made like it, may take to prove itself
 * @param retireGrace how long a component must have been known not to belong here before its checkpoints are removed
 * @param leaveGrace the same on a node that is none of the control plane's any more, while others serve
 * @param pivotGrace how long start's lock must have been free before the keeper finishes start's pivot
 * @param lease how long the front leads to an understudy unless the keeper renews that
 * @param cut how long a principal that hangs is cut off unless the keeper renews that
 */
public record KeeperSettings(
        Duration failover,
        Duration patience,
        Duration leaderPatience,
        Duration steady,
        Duration drain,
        Duration soak,
        Duration prove,
        Duration candidateDeadline,
        Duration retireGrace,
        Duration leaveGrace,
        Duration pivotGrace,
        Duration lease,
        Duration cut) {
    public static final KeeperSettings DEFAULT = new KeeperSettings(
            Duration.ofSeconds(3),
            Duration.ofSeconds(10),
            Duration.ofSeconds(45),
            Duration.ofSeconds(5),
            Duration.ofSeconds(2),
            Duration.ofSeconds(60),
            Duration.ofSeconds(10),
            Duration.ofMinutes(5),
            Duration.ofMinutes(5),
            Duration.ofSeconds(60),
            Duration.ofSeconds(30),
            FrontLease.TO_UNDERSTUDY,
            FrontLease.CUT_OFF);

    /** Those of a node that leaves the control plane: its keys are not to lie there for longer than they must. */
    KeeperSettings leaving() {
        return new KeeperSettings(
                failover,
                patience,
                leaderPatience,
                steady,
                drain,
                soak,
                prove,
                candidateDeadline,
                leaveGrace.compareTo(retireGrace) < 0 ? leaveGrace : retireGrace,
                leaveGrace,
                pivotGrace,
                lease,
                cut);
    }
}
