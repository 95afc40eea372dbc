package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.checkpoint.Revision;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What of a change must survive a restart of the keeper and a power loss; everything else follows from manifests, slots, the front
 * and the API. Written to disk before any action that relies on it.
 *
 * @param proven the candidate that proved itself: it may serve, and the principal may be replaced under its cover
 * @param failures revisions that are not tried again, the latest first
 */
public record ChangeRecord(Optional<Proven> proven, List<Failure> failures) {
    public static final ChangeRecord NONE = new ChangeRecord(Optional.empty(), List.of());

    private static final int REMEMBERED = 10;

    public ChangeRecord {
        failures = List.copyOf(failures);
    }

    /**
     * @param previous the hash that names the ControllerRevision of what ran before, to which a rollback goes
     */
    public record Proven(Revision revision, String previous) {}

    /**
     * @param retry value of {@link ChangeReport#RETRY_ANNOTATION} at that time: with another value the revision is tried again
     * @param message why, for people
     */
    public record Failure(Revision revision, String retry, String message) {}

    public boolean isProven(Revision revision) {
        return proven.filter(known -> known.revision().equals(revision)).isPresent();
    }

    /** Why a revision is not tried. */
    public Optional<Failure> failureOf(Revision revision, String retry) {
        return failures.stream()
                .filter(failure ->
                        failure.revision().equals(revision) && failure.retry().equals(retry))
                .findFirst();
    }

    public boolean hasFailed(Revision revision) {
        return failures.stream().anyMatch(failure -> failure.revision().equals(revision));
    }

    public ChangeRecord withProven(Optional<Proven> now) {
        return new ChangeRecord(
                now,
                failures.stream()
                        .filter(failure -> now.isEmpty()
                                || !failure.revision().equals(now.get().revision()))
                        .toList());
    }

    /** A candidate stays proven when its principal failed: it goes on serving while the principal is rolled back. */
    public ChangeRecord withFailure(Failure failure) {
        List<Failure> longer = new ArrayList<>();
        longer.add(failure);
        failures.stream()
                .filter(other -> !other.revision().equals(failure.revision()))
                .forEach(longer::add);
        return new ChangeRecord(proven, longer.subList(0, Math.min(longer.size(), REMEMBERED)));
    }
}
