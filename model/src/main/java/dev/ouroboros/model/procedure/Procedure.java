package dev.ouroboros.model.procedure;

import java.time.Instant;

/**
 * Work of many steps that may be killed anywhere and goes on when it is begun again with the state that its {@link Journal} has. Each step
 * looks, decides, and performs at most one action ({@link ProcedureRun}); nothing in it waits, so that a thread of a command, the keeper's loop
 * and the simulator's clock can drive it.
 *
 * @param <S> the state: what is remembered between steps; immutable, compared with {@code equals}
 * @param <V> what is seen
 * @param <A> what can be done
 */
public interface Procedure<S, V, A> {
    /**
     * Looks at the world.
     *
     * @param state says what is worth a look now
     */
    V look(S state);

    /**
     * Decides, from nothing but its arguments.
     *
     * @throws dev.ouroboros.model.problem.ProblemException when the procedure cannot go on; nothing was done in this step
     */
    NextStep<S, A> decide(V seen, S state, Instant now);

    /**
     * Does it. The procedure may be killed at any instruction, and the action is then done again, or decided upon what it left.
     *
     * @return the state, with what was learnt
     */
    S perform(A action, S state);
}
