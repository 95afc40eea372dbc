package dev.ouroboros.node.testing;

import dev.ouroboros.node.procedure.ProcedureListener;
import java.time.Duration;

/** Hears what a procedure does, and tells nobody. */
public final class SilentListener implements ProcedureListener {
    @Override
    public void did(String what) {}

    @Override
    public void waits(String why, Duration since) {}
}
