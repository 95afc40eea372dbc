package dev.ouroboros.bootstrap.decide;

import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.start.Phase;
import java.time.Instant;
import java.util.List;

/**
 * What a pivot remembers between decisions. It is written to the journal before the actions of a decision are performed, so that
 * a killed {@code start} goes on where it was.
 *
 * @param phase where it stands
 * @param since when it entered the phase
 * @param progress how far it has come
 * @param isSlow whether the temporary API server took long, so that the self-hosted one is to begin alone, and to serve alone before the others begin
 * @param failures why it gave up; empty unless rolling back or failed
 */
public record PivotState(Phase phase, Instant since, PivotProgress progress, boolean isSlow, List<Problem> failures) {
    public PivotState {
        failures = List.copyOf(failures);
        boolean givingUp = phase == Phase.ROLLING_BACK || phase == Phase.FAILED;
        if (givingUp == failures.isEmpty()) {
            throw new IllegalArgumentException("phase " + phase + " with failures " + failures);
        }
    }

    /** One that begins, or goes on in, a phase. */
    public PivotState(Phase phase, Instant since, List<Problem> failures) {
        this(phase, since, PivotProgress.begin(since), false, failures);
    }

    public static PivotState initial(Instant now) {
        return new PivotState(Phase.PREPARING, now, List.of());
    }

    PivotState moveTo(Phase next, Instant now) {
        return next(next, now, failures);
    }

    PivotState failing(Phase next, List<Problem> why, Instant now) {
        return next(next, now, why);
    }

    private PivotState next(Phase next, Instant now, List<Problem> why) {
        if (!phase.leadsTo(next)) {
            throw new IllegalStateException("a pivot does not go from " + phase + " to " + next);
        }
        return new PivotState(next, now, progress.inNextPhase(now), isSlow, why);
    }

    /**
     * Back beside the temporary API server, for good: what serves alone and goes away once may do so again and again. All that was in place comes into place anew.
     */
    PivotState backBesideTheTemporary(Instant now) {
        return new PivotState(moveTo(Phase.SELF_HOSTING, now).phase(), now, PivotProgress.begin(now), false, failures);
    }

    /** On a machine on which everything takes long. */
    public PivotState slow(boolean slow) {
        return new PivotState(phase, since, progress, slow, failures);
    }

    PivotState seeing(PivotObservation seen, Instant now) {
        return new PivotState(phase, since, progress.seen(seen, phase, now), isSlow, failures);
    }
}
