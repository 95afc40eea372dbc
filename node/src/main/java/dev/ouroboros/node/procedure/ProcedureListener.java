package dev.ouroboros.node.procedure;

import java.time.Duration;

/** Hears what a procedure does, for people. */
public interface ProcedureListener {
    /** A step was taken. */
    void did(String what);

    /**
     * The procedure waits for something outside. Called at once, and again while it takes long.
     *
     * @param since how long it has waited so far
     */
    void waits(String why, Duration since);
}
