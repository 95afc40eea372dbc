package dev.ouroboros.change;

import dev.ouroboros.core.change.Rollout;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;

/** The rounds of a rotation: it looks again and again, for as long as something moves and no change of the API server fails. */
final class Rounds {
    private final ControlPlaneObjects plane;
    private final ChangeListener listener;
    private final Patience patience;
    private Optional<SecondTry> secondTry = Optional.empty();

    /** @param limit how long one thing is waited for */
    Rounds(ControlPlaneObjects plane, ChangeListener listener, Duration limit, InstantSource clock) {
        this.plane = plane;
        this.listener = listener;
        this.patience = new Patience(listener, limit, clock);
    }

    /** What is seen; an API server that does not answer for a moment is asked again. */
    <T> T seen(Supplier<T> look) {
        return patience.asking(look);
    }

    /** Ends when a change that this run made has ended badly. */
    void require(Json daemonSet) {
        if (secondTry(daemonSet).hasFailed(Rollout.ending(daemonSet))) {
            Rollout.Ending ending = Rollout.ending(daemonSet).orElseThrow();
            throw failed(ending.word() + ": " + ending.why());
        }
    }

    /** Nothing goes on by itself: a change that failed before this run is tried again, once. */
    void stopped(Json daemonSet, String why) {
        boolean goesOn = secondTry(daemonSet)
                .goesOn(Rollout.ending(daemonSet), why, () -> plane.retry(daemonSet, patience.moment()));
        if (!goesOn) {
            throw failed(why);
        }
    }

    /** What the first look of this run saw is what was before it. */
    private SecondTry secondTry(Json daemonSet) {
        SecondTry known = secondTry.orElseGet(() -> new SecondTry(Rollout.ending(daemonSet), listener, patience));
        secondTry = Optional.of(known);
        return known;
    }

    private static ProblemException failed(String why) {
        return new ProblemException(new Problem(
                ErrorCode.COMPONENT_FAILED,
                "kube-system",
                why,
                "",
                "nothing is lost: what ran before still runs. Remove the reason and run the same command again, or take the"
                        + " step back with 'ouro change abort'"));
    }

    void did(String what) {
        listener.did(what);
        patience.did();
    }

    void waits(String why) {
        patience.waits(why);
    }
}
