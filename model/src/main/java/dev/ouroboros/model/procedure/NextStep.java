package dev.ouroboros.model.procedure;

import dev.ouroboros.model.problem.Problem;
import java.util.Optional;

/**
 * What a procedure does next.
 *
 * @param state goes to the journal, if it is another one, before the action is performed
 * @param waitingFor what has to happen outside first, for people; empty when nothing is waited for
 * @param detail how that goes; another detail is no progress
 * @param ended whether nothing is left to do
 */
public record NextStep<S, A>(S state, Optional<A> action, String waitingFor, String detail, boolean ended) {
    /** Only the state is another. */
    public static <S, A> NextStep<S, A> move(S state) {
        return new NextStep<>(state, Optional.empty(), "", "", false);
    }

    public static <S, A> NextStep<S, A> act(S state, A action) {
        return new NextStep<>(state, Optional.of(action), "", "", false);
    }

    public static <S, A> NextStep<S, A> await(S state, String what) {
        return await(state, what, "");
    }

    /** @param detail how that goes */
    public static <S, A> NextStep<S, A> await(S state, String what, String detail) {
        return new NextStep<>(state, Optional.empty(), what, detail, false);
    }

    public static <S, A> NextStep<S, A> end(S state) {
        return new NextStep<>(state, Optional.empty(), "", "", true);
    }

    /** The same; where the last action was refused and one is decided, that is another try, and said. */
    public NextStep<S, A> afterRefusal(Optional<Problem> refusal) {
        return refusal.filter(_ -> action.isPresent())
                .map(problem -> new NextStep<>(state, action, "another try", ": " + problem.describe(), ended))
                .orElse(this);
    }

    /** The same, after which something has to happen outside. */
    public NextStep<S, A> awaiting(String what) {
        return new NextStep<>(state, action, what, detail, ended);
    }
}
