package dev.ouroboros.node.procedure;

import dev.ouroboros.core.procedure.Journal;
import dev.ouroboros.core.procedure.Procedure;

/** Takes the steps of procedures to their end. */
@FunctionalInterface
public interface ProcedureDriver {
    /**
     * Runs a procedure to its end.
     *
     * @param begun what the journal has, or the state of a beginning
     * @return its last state
     * @throws dev.ouroboros.core.problem.ProblemException what the procedure throws, or TIMEOUT when nothing moves for too long
     */
    <S, V, A> S run(Procedure<S, V, A> procedure, Journal<S> journal, S begun);
}
