package dev.ouroboros.model.procedure;

/** What came of one step of a procedure. */
public sealed interface StepOutcome {
    /**
     * Something was done, or the state is another one: the next step may follow at once.
     *
     * @param changed whether the state is another one; an action that changed nothing in it may have come to nothing
     */
    record Moved(boolean changed) implements StepOutcome {}

    /**
     * Something outside has to happen first.
     *
     * @param what for people; empty when nobody can say
     * @param detail how that goes
     */
    record Waits(String what, String detail) implements StepOutcome {}

    record Ended() implements StepOutcome {}
}
