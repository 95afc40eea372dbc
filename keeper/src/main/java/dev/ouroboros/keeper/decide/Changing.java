package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.ChangeSeen.Target;
import dev.ouroboros.keeper.decide.Course.Lead;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.front.FrontState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Decides the next move of a change of this node's API server. No step is stored: it follows from the pods and the template that
 * each was made from, the understudy's manifest, the front and the {@link ChangeRecord}. So a keeper that was killed, or a node that
 * lost its power, goes on from what is there.
 *
 * <pre>
 * living pod        understudy            record             move
 * of the template   any                   -                  see below
 * of an older one   -                     failed, or paused, or refused: the way back (front to the principal, understudy stopped)
 * of an older one   none                  -                  lease; save the candidate; start its understudy
 * of an older one   of the template       -                  ask it; record that it is proven steadily, or that it failed
 * of an older one   of the template       proven             front there; drained: replace the principal
 * of an older one   trusted, has the      -                  replace the principal, which does not serve, or was made from what failed
 *                   front
 * of an older one   of another revision   -                  the way back first
 * of an older one   none, nothing saved   -                  it fails: lease; replace the principal
 * none              any                   -                  wait for the DaemonSet controller
 *
 * living pod of the template, and it is last-good: nothing, or the way back
 * not proven, and in doubt ({@link Doubt}): last-good serves; people are told; after the deadline a failure is recorded
 * else              serves                -                  ask the principal; proven: the way back; failed: record that
 * else              serves                failed             revert the template; the rows above replace the pod under cover
 * else              none                  -                  soak: Checkpoints makes it last-good
 * </pre>
 *
 * <p>A principal is replaced only when an understudy that is trusted (proven, or last-good) answers every question at this moment and
 * has had all new connections for the drain time; when this node holds the lease; and when the DaemonSet controller has taken the
 * template up, so that there is somebody to make the pod. A rollback needs no other understudy than the one that serves.
 */
final class Changing {
    /** How long a step that has moved clients is held when the API does not tell any more what the DaemonSet asks for. */
    private static final Duration BLIND = Duration.ofSeconds(30);

    private final Moment moment;
    private final Plan plan;

    Changing(Moment moment, Plan plan) {
        this.moment = moment;
        this.plan = plan;
    }

    /** The result: what the change asks of the other concerns, and what is remembered. */
    record Outcome(Course course, ChangeMemory memory) {
        static final Outcome NONE = new Outcome(Course.NONE, ChangeMemory.NONE);

        Outcome leading(Lead lead) {
            return new Outcome(course.leading(lead), memory);
        }
    }

    /** When nothing may be changed. The other concerns still need the record of what proved itself or failed. */
    static Outcome passive(ChangeSeen seen, ChangeMemory before) {
        return new Outcome(courseAlong(seen), before);
    }

    private static Course courseAlong(ChangeSeen seen) {
        return seen.record() instanceof Known<ChangeRecord>(ChangeRecord record) ? Course.along(record) : Course.NONE;
    }

    Outcome decide(Judged server, ChangeSeen seen, Evidence<FrontState> front, ChangeMemory before) {
        if (!(seen.target() instanceof Known<Optional<Target>>(Optional<Target> target))
                || !(seen.record() instanceof Known<ChangeRecord>(ChangeRecord record))
                || !(server.seen().pods() instanceof Known<List<PrincipalPod>>(List<PrincipalPod> pods))
                || !(server.seen().slots() instanceof Known<Slots>(Slots slots))
                || !(server.seen().manifest() instanceof Known<StaticManifest>(StaticManifest manifest))) {
            return blind(seen, before);
        }
        if (target.isEmpty() || !target.get().component().equals(server.name())) {
            return new Outcome(Course.along(record), ChangeMemory.NONE);
        }
        ChangeFacts facts = ChangeFacts.of(moment, server, seen, target.get(), record, pods, slots, manifest, front);
        return new ChangeRound(plan, facts, before).decide();
    }

    /**
     * The API may be away for a moment because its clients were just sent elsewhere, or because the machine is overloaded: nothing is taken
     * back at once, and nothing is done. A candidate without clients may stay until its deadline.
     */
    private Outcome blind(ChangeSeen seen, ChangeMemory before) {
        Course course = courseAlong(seen).keepingCandidate();
        Optional<Instant> since = moment.since(before.blindSince());
        ChangeMemory memory = before.blindSince(since);
        boolean proving = before.status().step() == ChangeStep.PROVING;
        if (moment.lasted(since, proving ? before.boots().deadline(moment.settings()) : BLIND)) {
            return new Outcome(course, memory);
        }
        return new Outcome(
                switch (before.status().step()) {
                    case PROVING -> course.holdingUnderstudy();
                    case SWITCHING, REPLACING, ROLLING_BACK ->
                        course.leading(Lead.WHO_HAS_IT).holdingUnderstudy();
                    case NONE, WAITING, PAUSED, REFUSED, FAILED, SOAKING, ROLLED_BACK, DONE -> course;
                },
                memory);
    }
}
