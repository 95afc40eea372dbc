package dev.ouroboros.model.start;

/** Where a pivot stands. The order is the order of a run; {@code Pivot} documents the legal moves. */
public enum Phase {
    /** Nothing has been changed yet. */
    PREPARING("looking at the node"),
    /** The temporary API server is being started behind the front port. */
    STARTING_TEMPORARY("starting the temporary control plane"),
    /** Manifests are being applied to the temporary API server. */
    APPLYING("applying manifests"),
    /** The self-hosted pods come up beside the temporary ones. */
    SELF_HOSTING("waiting for the self-hosted control plane"),
    /** New connections go to the self-hosted API server; the temporary one still runs. */
    SWITCHING("switching to the self-hosted API server"),
    /** On a slow machine: the self-hosted API server serves without the temporary one, and the other self-hosted pods come up. */
    COMPLETING("waiting for the other self-hosted workloads"),
    /** The temporary control plane is being removed. */
    TEARING_DOWN("removing the temporary control plane"),
    /** What a user needs is being tried against the self-hosted control plane alone. */
    ACCEPTING("trying what a user needs"),
    DONE("done"),
    /** It did not work: what was started is being removed. */
    ROLLING_BACK("removing what was started"),
    FAILED("failed");

    private final String description;

    Phase(String description) {
        this.description = description;
    }

    /** What is going on, for progress lines. */
    public String description() {
        return description;
    }

    /** Whether a pivot may go from here to there; {@code Pivot} says when. */
    public boolean leadsTo(Phase next) {
        return switch (this) {
            case PREPARING -> next == STARTING_TEMPORARY || next == ACCEPTING || next == FAILED;
            case STARTING_TEMPORARY -> next == APPLYING || next == ROLLING_BACK;
            case APPLYING -> next == SELF_HOSTING || next == ROLLING_BACK;
            // FAILED: one decision falls back from SWITCHING and sees a refusal.
            case SELF_HOSTING -> next == SWITCHING || next == TEARING_DOWN || next == ROLLING_BACK || next == FAILED;
            case SWITCHING -> next == COMPLETING || next == TEARING_DOWN || next == SELF_HOSTING || next == FAILED;
            // FAILED: as above.
            case COMPLETING -> next == TEARING_DOWN || next == SELF_HOSTING || next == ROLLING_BACK || next == FAILED;
            case TEARING_DOWN -> next == ACCEPTING || next == SELF_HOSTING || next == FAILED;
            case ACCEPTING -> next == DONE || next == FAILED;
            case ROLLING_BACK -> next == FAILED;
            case DONE, FAILED -> false;
        };
    }

    public boolean isFinal() {
        return this == DONE || this == FAILED;
    }
}
