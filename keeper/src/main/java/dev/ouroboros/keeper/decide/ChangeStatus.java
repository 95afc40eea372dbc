package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.checkpoint.Revision;
import java.time.Instant;
import java.util.Optional;

/**
 * Where the change of the API server stands, for people.
 *
 * @param revision that the change is about
 * @param message what it waits for, or why it ended
 * @param progress how much of the waiting time has passed; empty where no time is counted
 * @param since when the step began, by the keeper's own clock
 */
public record ChangeStatus(
        ChangeStep step, Optional<Revision> revision, String message, String progress, Instant since) {
    public static final ChangeStatus NONE = new ChangeStatus(ChangeStep.NONE, Optional.empty(), "", "", Instant.EPOCH);
}
