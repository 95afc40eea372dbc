package dev.ouroboros.change;

import dev.ouroboros.core.change.Rollout.Ending;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A change of the API server that had ended badly before this run is tried again, once: that is what running a command again means. One
 * that ends badly in this run ends the run.
 */
public final class SecondTry {
    private final Optional<Ending> before;
    private final ChangeListener listener;
    private final Patience patience;
    private boolean asked;

    /** @param before how the last change had ended when this run began */
    public SecondTry(Optional<Ending> before, ChangeListener listener, Patience patience) {
        this.before = before;
        this.listener = listener;
        this.patience = patience;
    }

    /** Whether a change ended badly since this run began. Two that end alike differ in their time. */
    public boolean hasFailed(Optional<Ending> now) {
        return now.filter(Ending::isBad).isPresent() && !now.equals(before);
    }

    /**
     * Nothing goes on by itself: has it tried again, or waits for that.
     *
     * @param retry asks the keeper; false when somebody else changed the object meanwhile, after which it is asked again
     * @return false when there is nothing to be tried again
     */
    public boolean goesOn(Optional<Ending> now, String why, BooleanSupplier retry) {
        boolean isOld = now.equals(before)
                && now.filter(ending -> ending.isBad() && ending.mayBeTriedAgain())
                        .isPresent();
        if (!isOld) {
            return false;
        }
        if (asked) {
            patience.waits("the keeper to try the change again");
            return true;
        }
        asked = patience.asking(retry::getAsBoolean);
        if (asked) {
            listener.did("asked the keeper to try the change again that failed before: " + why);
        }
        return true;
    }
}
