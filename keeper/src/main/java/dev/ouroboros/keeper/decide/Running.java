package dev.ouroboros.keeper.decide;

/** What the container runtime says of the containers of a component's pods. */
public enum Running {
    /** All containers of at least one pod run. */
    RUNNING,
    /** There are containers, but of no pod all run: being created, or ended and perhaps soon started again. */
    STOPPED,
    /** The runtime has no pod of the component. */
    ABSENT
}
