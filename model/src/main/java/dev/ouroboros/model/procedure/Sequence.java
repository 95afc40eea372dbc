package dev.ouroboros.model.procedure;

import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A procedure whose steps follow each other and never wait. Each sees what is there and does the rest, so that a run which goes on after a kill
 * takes all of them again.
 *
 * @param <S> what the steps tell each other
 * @param steps each takes what those before it told, and tells more: that is in the journal before the next one begins
 */
public record Sequence<S>(List<UnaryOperator<S>> steps)
        implements Procedure<Sequence.Position<S>, Sequence.Position<S>, UnaryOperator<S>> {
    /** @param taken how many steps were taken in this run */
    public record Position<S>(S known, int taken) {}

    public Sequence {
        steps = List.copyOf(steps);
    }

    /** Before the first step. */
    public static <S> Position<S> begin(S known) {
        return new Position<>(known, 0);
    }

    @Override
    public Position<S> look(Position<S> state) {
        return state;
    }

    @Override
    public NextStep<Position<S>, UnaryOperator<S>> decide(Position<S> seen, Position<S> state, Instant now) {
        return state.taken() < steps.size() ? NextStep.act(state, steps.get(state.taken())) : NextStep.end(state);
    }

    @Override
    public Position<S> perform(UnaryOperator<S> step, Position<S> state) {
        return new Position<>(step.apply(state.known()), state.taken() + 1);
    }
}
