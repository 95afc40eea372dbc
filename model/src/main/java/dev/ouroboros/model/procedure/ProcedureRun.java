package dev.ouroboros.model.procedure;

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
     * @param begun what the journal has, or the state of a beginning. Only another state is written: who begins writes what has to outlive the
     *     first action
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

    /** What the next step decides on. May be asked again when it throws: nothing was done. */
    public V look() {
        return procedure.look(state);
    }

    /** Looks, decides and acts once, as {@link #step(Object)}. */
    public StepOutcome step() {
        return step(look());
    }

    /**
     * Decides and acts once.
     *
     * @param seen by the look before
     * @throws dev.ouroboros.model.problem.ProblemException what the procedure throws; what was done is seen by the next look
     */
    public StepOutcome step(V seen) {
        NextStep<S, A> next = procedure.decide(seen, state, clock.instant());
        boolean changed = keep(next.state());
        boolean acts = next.action().isPresent();
        if (acts) {
            changed |= keep(procedure.perform(next.action().get(), state));
        }
        if (next.ended()) {
            return new StepOutcome.Ended();
        }
        boolean moves = changed || (acts && next.waitingFor().isEmpty());
        return moves ? new StepOutcome.Moved(changed) : new StepOutcome.Waits(next.waitingFor(), next.detail());
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
