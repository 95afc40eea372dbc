package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.problem.Problem;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a keeper remembers of one component. Each time is that of the first decision at which the condition held, and is forgotten
 * by the first decision at which the condition is not known to hold.
 *
 * @param failingSince since when the principal is known not to serve; for an API server only a good probe ends this time, an unknown
 *     result does not; for a component that is judged by its pods it is kept only while that is known to belong here
 * @param servingSince since when the principal is known to serve
 * @param movedSince since when new connections are known to go to the principal; of an API server only
 * @param unwantedSince since when it is known not to belong here
 * @param crowdedSince since when this node is known to have several pods of it, and another control-plane node to have none
 * @param understudy revision of the last understudy whose manifest was seen; it may be gone
 * @param replacedAt when its manifest was replaced, if a moment ago: a server that has been ready since before is the old one
 * @param health since when the pod that could be saved is known to be healthy
 * @param started with what content that pod began
 * @param reported the refusal that was reported last
 * @param status the last one that was reported
 */
record Memory(
        Optional<Instant> failingSince,
        Optional<Instant> servingSince,
        Optional<Instant> movedSince,
        Optional<Instant> unwantedSince,
        Optional<Instant> crowdedSince,
        Optional<Revision> understudy,
        Optional<Instant> replacedAt,
        Optional<PodHealth> health,
        Optional<PodStart> started,
        Optional<Refusal> reported,
        Optional<Status> status) {
    static final Memory NONE = new Memory(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    /** The same with the results that a decision yields at its end. */
    Memory with(Optional<PodHealth> newHealth, Optional<Refusal> newReported, Optional<Status> newStatus) {
        return new Memory(
                failingSince,
                servingSince,
                movedSince,
                unwantedSince,
                crowdedSince,
                understudy,
                replacedAt,
                newHealth,
                started,
                newReported,
                newStatus);
    }

    /** One pod, with the same content, without a restart, healthy since a time. */
    record PodHealth(String podUid, int restarts, Revision revision, Instant since) {}

    /**
     * The content with which the containers of a pod began, as it was read a moment after the pod was seen first.
     *
     * @param seenAt when the pod, or its containers' last restart, was seen first
     */
    record PodStart(String podUid, int restarts, Revision revision, Instant seenAt) {
        boolean isOf(PrincipalPod pod) {
            return podUid.equals(pod.uid()) && restarts == pod.restarts();
        }
    }

    /** What was refused of which pod. */
    record Refusal(String podUid, List<Problem> problems) {
        Refusal {
            problems = List.copyOf(problems);
        }
    }
}
