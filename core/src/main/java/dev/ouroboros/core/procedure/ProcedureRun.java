package dev.ouroboros.core.procedure;

import java.time.InstantSource;

/** Takes the steps of one procedure, on one thread. It never waits: whoever drives it does. */
public final class ProcedureRun<S, V, A> {
    private final Procedure<S, V, A> procedure;
    private final Journal<S> journal;
    private final InstantSource clock;
    private S state;

    /**
     * Nothing is done yet.
     *
     * @param begun what the journal has, or the state of a beginning, which is written with the first change of it
     */
    public ProcedureRun(Procedure<S, V, A> procedure, Journal<S> journal, S begun, InstantSource clock) {
        this.procedure = procedure;
        this.journal = journal;
        this.clock = clock;
        this.state = begun;
    }

    public S state() {
        return state;
    }

    /**
     * Looks, decides and acts once. When it throws, what was done is what the next step sees; it may be taken again.
     *
     * @throws dev.ouroboros.core.problem.ProblemException what the procedure throws
     */
    public StepOutcome step() {
        V seen = procedure.look(state);
        NextStep<S, A> next = procedure.decide(seen, state, clock.instant());
        boolean moves = keep(next.state());
        if (next.action().isPresent()) {
            keep(procedure.perform(next.action().get(), state));
            moves |= next.waitingFor().isEmpty();
        }
        if (next.ended()) {
            return new StepOutcome.Ended();
        }
        return moves ? new StepOutcome.Moved() : new StepOutcome.Waits(next.waitingFor(), next.detail());
    }

    /** Whether it is another one. */
    private boolean keep(S next) {
        if (next.equals(state)) {
            return false;
        }
        journal.write(next);
        state = next;
        return true;
    }
}
