package dev.ouroboros.keeper.decide;

/** How far the change of this node's API server is. The names are values of an annotation: they do not change. */
public enum ChangeStep {
    /** Nothing to do: the pod is made from the template, and what it is made of is last-good. */
    NONE("None", "the template is what runs"),
    /** Something else has to happen first; the message names it. */
    WAITING("Waiting", "the change waits"),
    PAUSED("Paused", "the change is paused"),
    /** The change would harm a cluster in which both servers run; the message names the template's field. */
    REFUSED("Refused", "the change is refused"),
    /** The candidate did not prove itself. The principal was never touched. */
    FAILED("Failed", "the candidate failed; what ran before still runs"),
    /** The candidate boots beside the principal and is tested ({@link Proof}); it gets no traffic. */
    PROVING("Proving", "the candidate proves itself"),
    /** New connections go to the candidate; the principal is about to be replaced. */
    SWITCHING("Switching", "clients move to the candidate"),
    /** The old principal is gone; the new one boots and is tested while the candidate serves. */
    REPLACING("Replacing", "the principal is replaced"),
    /** The new principal serves alone; its checkpoint is not last-good yet. */
    SOAKING("Soaking", "the new principal serves and is watched"),
    /** The new principal failed: the template goes back to what ran before, and so does the principal. */
    ROLLING_BACK("RollingBack", "the change is rolled back"),
    ROLLED_BACK("RolledBack", "the change was rolled back"),
    DONE("Done", "the change is done");

    private final String word;
    private final String description;

    ChangeStep(String word, String description) {
        this.word = word;
        this.description = description;
    }

    /** As in the annotation. */
    public String word() {
        return word;
    }

    /** Whether somebody has to do something. */
    public boolean isBad() {
        return switch (this) {
            case FAILED, REFUSED, ROLLING_BACK, ROLLED_BACK -> true;
            case NONE, WAITING, PAUSED, PROVING, SWITCHING, REPLACING, SOAKING, DONE -> false;
        };
    }

    public String description() {
        return description;
    }

    /** Whether nothing is left to do on this node. */
    boolean isOver() {
        return switch (this) {
            case NONE, DONE, ROLLED_BACK -> true;
            case WAITING, PAUSED, REFUSED, FAILED, PROVING, SWITCHING, REPLACING, SOAKING, ROLLING_BACK -> false;
        };
    }

    /** Whether a change is under way, which another node has to wait for. */
    public boolean isUnderWay() {
        return switch (this) {
            case PROVING, SWITCHING, REPLACING, SOAKING, ROLLING_BACK -> true;
            case NONE, WAITING, PAUSED, REFUSED, FAILED, ROLLED_BACK, DONE -> false;
        };
    }
}
