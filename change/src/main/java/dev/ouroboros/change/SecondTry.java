package dev.ouroboros.change;

import dev.ouroboros.change.decide.Rollout.Ending;
import dev.ouroboros.model.procedure.NextStep;
import java.util.Optional;

/**
 * A change of the API server that had ended badly before this run is tried again, once: that is what running a command again means. One
 * that ends badly in this run ends the run.
 *
 * @param before how the last change had ended when this run began
 * @param asked whether the keeper was asked to try it again
 */
public record SecondTry(Optional<Ending> before, boolean asked) {
    /** Nobody was asked yet. */
    public static SecondTry after(Optional<Ending> before) {
        return new SecondTry(before, false);
    }

    /** Whether a change ended badly since this run began. Two that end alike differ in their time. */
    public boolean hasFailed(Optional<Ending> now) {
        return now.filter(Ending::isBad).isPresent() && !now.equals(before);
    }

    public SecondTry havingAsked() {
        return new SecondTry(before, true);
    }

    /**
     * What a run does when nothing goes on by itself: it asks the keeper, and then waits for it.
     *
     * @param state of the run
     * @param retry asks the keeper
     * @return empty when there is nothing to be tried again
     */
    public <S, A> Optional<NextStep<S, A>> step(S state, Optional<Ending> now, A retry) {
        boolean isOld = now.equals(before)
                && now.filter(ending -> ending.isBad() && ending.mayBeTriedAgain())
                        .isPresent();
        if (!isOld) {
            return Optional.empty();
        }
        return Optional.of(
                asked ? NextStep.await(state, "the keeper to try the change again") : NextStep.act(state, retry));
    }

    /** For people, when the keeper was asked. */
    public static String told(String why) {
        return "asked the keeper to try the change again that failed before: " + why;
    }
}
