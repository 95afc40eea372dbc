package dev.ouroboros.status.model;

/** Whether everything is as its templates ask for. */
public sealed interface Convergence {
    record Converged() implements Convergence {}

    /** @param why what is not there yet */
    record Waiting(String why) implements Convergence {}

    /** It will not get there by itself. */
    record Failed(String why) implements Convergence {}
}
