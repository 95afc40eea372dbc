package dev.ouroboros.change;

import dev.ouroboros.core.change.Rollout;
import dev.ouroboros.core.change.Rollout.Ending;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The patience of a rotation: it looks again each second, for as long as something moves. A change that fails ends it; one that had
 * failed before is tried once more, which is what running the command again means.
 */
final class Rounds {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final ControlPlane plane;
    private final ChangeListener listener;
    private final Duration limit;
    private final InstantSource clock;
    private Optional<Ending> before = Optional.empty();
    private boolean begun;
    private boolean retried;
    private String said = "";
    private Instant moved;

    /** @param limit how long one thing is waited for */
    Rounds(ControlPlane plane, ChangeListener listener, Duration limit, InstantSource clock) {
        this.plane = plane;
        this.listener = listener;
        this.limit = limit;
        this.clock = clock;
        this.moved = clock.instant();
    }

    /** What is seen; an API server that does not answer for a moment is asked again. */
    <T> T seen(Supplier<T> look) {
        while (true) {
            try {
                return look.get();
            } catch (ProblemException e) {
                boolean passes = e.problems().stream().allMatch(problem -> problem.code() == ErrorCode.API_UNAVAILABLE);
                if (!passes) {
                    throw e;
                }
                waits(e.problems().getFirst().describe());
            }
        }
    }

    /** Ends when a change that this run made has ended badly. */
    void require(Json daemonSet) {
        Optional<Ending> ending = Rollout.ending(daemonSet);
        if (!begun) {
            begun = true;
            before = ending;
        }
        if (ending.filter(Ending::isBad).isPresent() && !ending.equals(before)) {
            throw failed(ending.get().word() + ": " + ending.get().why());
        }
    }

    /** Nothing goes on by itself: a change that failed before this run is tried again, once. */
    void stopped(Json daemonSet, String why) {
        boolean old = Rollout.ending(daemonSet).equals(before)
                && before.filter(ending -> ending.isBad() && ending.mayBeTriedAgain())
                        .isPresent();
        if (!old) {
            throw failed(why);
        }
        if (!retried) {
            retried = plane.retry(daemonSet, clock.instant().toString());
            listener.did("asked the keeper to try the change again that failed before: " + why);
        } else {
            waits("the keeper to try the change again");
        }
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
        moved = clock.instant();
        said = "";
    }

    void waits(String why) {
        if (!why.equals(said)) {
            listener.waits(why);
            said = why;
            moved = clock.instant();
        }
        if (Duration.between(moved, clock.instant()).compareTo(limit) > 0) {
            throw ProblemException.of(
                    ErrorCode.TIMEOUT,
                    "--timeout",
                    "nothing moved for " + limit.toSeconds() + " s: " + why,
                    "",
                    "ouro explain; run the same command again to go on");
        }
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ProblemException.of(
                    ErrorCode.TIMEOUT, "rotation", "interrupted", "", "run the same command again to go on");
        }
    }
}
