package dev.ouroboros.etcd.decide;

import dev.ouroboros.model.problem.Problem;
import java.time.Instant;
import java.util.List;

/**
 * What a restore remembers between decisions; it is written to the journal before the actions of a decision are performed.
 *
 * @param begun when the restore began: it names what is set aside, and whatever ran before it may have watched the former etcd
 * @param since when it entered the phase
 * @param failures why it gave up; empty unless rolling back or failed
 */
public record RestoreState(RestorePhase phase, Instant begun, Instant since, List<Problem> failures) {
    public RestoreState {
        failures = List.copyOf(failures);
        boolean givingUp = phase == RestorePhase.ROLLING_BACK || phase == RestorePhase.FAILED;
        if (givingUp == failures.isEmpty()) {
            throw new IllegalArgumentException("phase " + phase + " with failures " + failures);
        }
    }

    public static RestoreState initial(Instant now) {
        return new RestoreState(RestorePhase.PREPARING, now, now, List.of());
    }

    RestoreState moveTo(RestorePhase next, Instant now) {
        return new RestoreState(next, begun, now, failures);
    }

    RestoreState failing(RestorePhase next, Problem why, Instant now) {
        return new RestoreState(next, begun, now, List.of(why));
    }
}
