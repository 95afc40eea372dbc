package dev.ouroboros.node.procedure;

import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.model.procedure.Procedure;

/** Takes the steps of procedures to their end. */
@FunctionalInterface
public interface ProcedureDriver {
    /**
     * Runs a procedure to its end.
     *
     * @param begun what the journal has, or the state of a beginning
     * @return its last state
     * @throws dev.ouroboros.model.problem.ProblemException what the procedure throws, or TIMEOUT when nothing moves for too long
     */
    <S, V, A> S run(Procedure<S, V, A> procedure, Journal<S> journal, S begun);
}
