package dev.ouroboros.core.keeper;

import dev.ouroboros.core.problem.Problem;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a keeper remembers of one component. Each time is that of the first decision at which the thing held, and is forgotten
 * by the first at which it is not known to hold.
 *
 * @param failingSince since when the principal is known not to serve; of an API server an unanswered question does not end it, only a
 *     good probe does; of what is judged by its pods, while it is known to belong here
 * @param servingSince since when the principal is known to serve
 * @param movedSince since when new connections are known to go to the principal; of an API server only
 * @param unwantedSince since when it is known not to belong here
 * @param understudy what the last one was made from whose manifest was seen; it may be gone
 * @param replacedAt when another revision was put there, a moment ago: what answers since before is what was there before
 * @param health since when the pod that could be saved is known to be healthy
 * @param reported the refusal that was reported last
 * @param status what was said of it last
 */
record Memory(
        Optional<Instant> failingSince,
        Optional<Instant> servingSince,
        Optional<Instant> movedSince,
        Optional<Instant> unwantedSince,
        Optional<Revision> understudy,
        Optional<Instant> replacedAt,
        Optional<PodHealth> health,
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
            Optional.empty());

    /** The same with what is found out last at a decision. */
    Memory with(Optional<PodHealth> newHealth, Optional<Refusal> newReported, Optional<Status> newStatus) {
        return new Memory(
                failingSince,
                servingSince,
                movedSince,
                unwantedSince,
                understudy,
                replacedAt,
                newHealth,
                newReported,
                newStatus);
    }

    /** One pod, with the same content, without a restart, healthy since a time. */
    record PodHealth(String podUid, int restarts, Revision revision, Instant since) {}

    /** What was refused of which pod. */
    record Refusal(String podUid, List<Problem> problems) {
        Refusal {
            problems = List.copyOf(problems);
        }
    }
}
