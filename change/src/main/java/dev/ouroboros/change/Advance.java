package dev.ouroboros.change;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;

/**
 * How far a rotation has come in this run. What to do next follows from the cluster alone, so a step that somebody takes back meanwhile, with
 * {@code ouro change abort}, would simply be taken again: this run ends instead, and only somebody who runs the command again goes on.
 */
final class Advance {
    private final String workload;
    private int furthest;

    /** @param workload whose template has the steps */
    Advance(String workload) {
        this.workload = workload;
    }

    /** A step was taken that leads there. */
    void reached(int step) {
        furthest = Math.max(furthest, step);
    }

    /**
     * Remembers where the cluster is.
     *
     * @param state what the cluster is left with, for people
     * @throws ProblemException CHANGE_REFUSED when it was further before
     */
    void require(int step, String state) {
        if (step < furthest) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    workload,
                    "a step of this rotation was taken back meanwhile ('ouro change abort', or another edit of the template); "
                            + state,
                    "",
                    "nothing is lost, and what is there may stay so: keys that were added are read. 'ouro status --wait', then the same"
                            + " command again goes on from there");
        }
        reached(step);
    }
}
