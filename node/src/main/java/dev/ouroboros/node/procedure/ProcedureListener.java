package dev.ouroboros.node.procedure;

import java.time.Duration;

/** Hears what a procedure does, for people. */
public interface ProcedureListener {
    /** A step was taken. */
    void did(String what);

    /**
     * Something else has to happen first: at once, and again while it takes long.
     *
     * @param since how long it has been waited for
     */
    void waits(String why, Duration since);
}
