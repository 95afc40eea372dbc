package dev.ouroboros.model.component;

/** What a component is to the control plane: how it is probed, and what stands or falls with it. */
public enum Role {
    /** Stands behind the front; probed directly; nothing else can be seen while it is away. */
    API_SERVER,
    /** Leads or stands by, through a Lease: a second one does no harm. */
    CONTROLLER_MANAGER,
    /** As the controller manager. */
    SCHEDULER,
    /** Ourselves: the static copy always exists and waits for a lock. */
    KEEPER,
    /** A pod of somebody's that asks for an understudy. */
    OTHER;

    /** Whether nothing that is lost comes back by itself when the cluster has none: its last checkpoint is the last way back. */
    public boolean isIndispensable() {
        return switch (this) {
            case API_SERVER, CONTROLLER_MANAGER, SCHEDULER -> true;
            case KEEPER, OTHER -> false;
        };
    }
}
