package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.checkpoint.Revision;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the annotations of the DaemonSet say of its change, for people and for {@code ouro status}.
 *
 * @param step as its word
 * @param revision that the change is about; empty when the template makes none
 * @param message what it waits for, or why it ended; nothing that changes from second to second
 */
public record ChangeReport(String step, Optional<Revision> revision, String message) {
    /** The step, as {@link ChangeStep#word}. */
    public static final String STATE_ANNOTATION = "ouroboros.dev/change-state";

    public static final String REVISION_ANNOTATION = "ouroboros.dev/change-revision";
    public static final String MESSAGE_ANNOTATION = "ouroboros.dev/change-message";

    /** The node whose keeper says so. */
    public static final String NODE_ANNOTATION = "ouroboros.dev/change-node";

    /** What {@link #RETRY_ANNOTATION} was then. */
    public static final String TRIED_ANNOTATION = "ouroboros.dev/change-tried";

    /** When the step began, as in RFC 3339. */
    public static final String SINCE_ANNOTATION = "ouroboros.dev/change-since";

    /** Set to "true" by people: nothing is begun, and what was not carried out yet is taken back. */
    public static final String PAUSED_ANNOTATION = "ouroboros.dev/paused";

    /** Set by people to another value than before: a revision that failed is tried again. */
    public static final String RETRY_ANNOTATION = "ouroboros.dev/change-retry";

    public static ChangeReport of(ChangeStep step, Optional<Revision> revision, String message) {
        return new ChangeReport(step.word(), revision, message);
    }

    /** Whether a node is at the change that it tells of, or has yet to begin it. */
    boolean isUnderWay() {
        return says(ChangeStep.WAITING)
                || Stream.of(ChangeStep.values()).filter(ChangeStep::isUnderWay).anyMatch(this::says);
    }

    /** Whether the change that it tells of has come to its end. */
    boolean isOver() {
        return Stream.of(ChangeStep.values()).filter(ChangeStep::isOver).anyMatch(this::says);
    }

    public boolean says(ChangeStep expected) {
        return step.equals(expected.word());
    }
}
