package dev.ouroboros.status.model;

import dev.ouroboros.model.component.ComponentName;
import java.time.Instant;
import java.util.Optional;

/**
 * A change of a component's template.
 *
 * @param step as the keeper calls it, for example {@code Proving}
 * @param revision that it is about; may be empty
 * @param message what it waits for, or why it ended
 * @param since when the step began
 * @param node whose keeper says so; empty when unknown
 * @param isOfSeveralNodes whether the component belongs on more than one, so that people must be told of which this is said
 */
public record Change(
        ComponentName component,
        String step,
        Progress progress,
        Optional<String> revision,
        String message,
        Optional<Instant> since,
        String node,
        boolean isOfSeveralNodes) {
    public enum Progress {
        /** It goes on by itself. */
        UNDER_WAY,
        /** It goes on when somebody else lets it: a pause, another node's turn. */
        HELD,
        /** It ended without what was wanted. */
        FAILED,
        DONE
    }

    /** The step, and the node that is at it where it could be another. */
    public String stepAndNode() {
        return isOfSeveralNodes && !node.isEmpty() ? step + " on " + node : step;
    }

    /** Whether it has not ended, one way or the other. */
    public boolean mayGoOn() {
        return switch (progress) {
            case UNDER_WAY, HELD -> true;
            case FAILED, DONE -> false;
        };
    }

    Change timeless() {
        return new Change(component, step, progress, revision, message, Optional.empty(), node, isOfSeveralNodes);
    }
}
