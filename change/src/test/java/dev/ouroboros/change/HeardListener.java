package dev.ouroboros.change;

import dev.ouroboros.node.procedure.ProcedureListener;
import java.time.Duration;
import java.util.List;

/** Keeps what a procedure says. */
record HeardListener(List<String> told) implements ProcedureListener {
    @Override
    public void did(String what) {
        told.add(what);
    }

    @Override
    public void waits(String why, Duration since) {
        told.add("waits: " + why);
    }
}
