package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a change asks of the other concerns.
 *
 * @param lead who is to get new connections when both servers are ready
 * @param holdsUnderstudy whether the understudy stays although the principal serves
 * @param keepsCandidate whether the candidate slot is reserved for the change
 * @param proven the candidate that proved itself and has not failed since: better than last-good, which is older
 * @param serving the candidate that proved itself, even if its principal failed: it may go on serving
 * @param failed revisions that did not prove themselves, or whose principal failed
 */
record Course(
        Lead lead,
        boolean holdsUnderstudy,
        boolean keepsCandidate,
        Optional<Revision> proven,
        Optional<Revision> serving,
        Set<Revision> failed) {
    static final Course NONE = new Course(Lead.PRINCIPAL, false, false, Optional.empty(), Optional.empty(), Set.of());

    enum Lead {
        PRINCIPAL,
        UNDERSTUDY,
        /** The server that has them now. */
        WHO_HAS_IT
    }

    Course {
        failed = Set.copyOf(failed);
    }

    /** Only what the record says is proven or has failed. */
    static Course along(ChangeRecord record) {
        Optional<Revision> serving = record.proven().map(ChangeRecord.Proven::revision);
        return new Course(
                Lead.PRINCIPAL,
                false,
                false,
                serving.filter(revision -> !record.hasFailed(revision)),
                serving,
                record.failures().stream().map(ChangeRecord.Failure::revision).collect(Collectors.toSet()));
    }

    Course leading(Lead other) {
        return new Course(other, holdsUnderstudy, keepsCandidate, proven, serving, failed);
    }

    Course holdingUnderstudy() {
        return new Course(lead, true, keepsCandidate, proven, serving, failed);
    }

    Course keepingCandidate() {
        return new Course(lead, holdsUnderstudy, true, proven, serving, failed);
    }

    /** What an understudy is made from. */
    Optional<Revision> best(Slots slots) {
        return slots.candidate()
                .filter(candidate -> proven.equals(Optional.of(candidate)))
                .or(slots::best);
    }

    /** Whether an understudy of this revision may get traffic: an unproven candidate only when there is no better checkpoint. */
    boolean trusts(Revision revision, Slots slots) {
        boolean better = slots.lastGood().filter(good -> !good.equals(revision)).isPresent();
        boolean doubtful = slots.candidate().equals(Optional.of(revision)) || failed.contains(revision);
        return !better || !doubtful || serving.equals(Optional.of(revision));
    }
}
