package dev.ouroboros.bootstrap.decide;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.start.Phase;
import java.time.Instant;

/**
 * How far a pivot has come: this tells a slow pivot from one that hangs.
 *
 * @param steps the most that was in place at once; what comes and goes again is counted once
 * @param since when that was seen first, or when the phase began, if that is later
 */
record PivotProgress(int steps, Instant since) {
    /** As many of an API server's checks count: what is lost again hides as much of what others gain. */
    private static final int MOST_CHECKS = 10;

    static PivotProgress begin(Instant now) {
        return new PivotProgress(0, now);
    }

    PivotProgress seen(PivotObservation seen, Phase phase, Instant now) {
        int inPlace = stepsOf(seen, phase);
        return inPlace > steps ? new PivotProgress(inPlace, now) : this;
    }

    PivotProgress inNextPhase(Instant now) {
        return new PivotProgress(steps, now);
    }

    /** Counts what is known to be in place. The count is bounded, so that a pivot that never ends is given up all the same. */
    private static int stepsOf(PivotObservation seen, Phase phase) {
        // Where the self-hosted one serves alone, the temporary one has ended in order.
        boolean isAlone = phase == Phase.COMPLETING && Health.isReady(seen.principal());
        return stepsOf(seen.principal())
                + (isAlone ? 1 + MOST_CHECKS : stepsOf(seen.understudy()))
                + seen.helpers().values().stream()
                        .mapToInt(helper -> Health.isReady(helper) ? 2 : Health.listens(helper) ? 1 : 0)
                        .sum()
                + steps(seen.applied())
                + steps(seen.workloadsApplied())
                + seen.node()
                        .map(node -> (node.registered() ? 1 : 0) + (node.labelled() ? 1 : 0))
                        .orElse(0)
                + seen.workloads()
                        .map(all -> all.stream()
                                .mapToInt(workload -> workload.begun() + workload.ready())
                                .sum())
                        .orElse(0);
    }

    /** On a slow machine an API server needs minutes from when it listens until it is ready: each check that passes is a step. */
    private static int stepsOf(Evidence<Health> probe) {
        return switch (probe) {
            case Evidence.Unknown<Health> _, Evidence.Known<Health>(Health.NotListening _) -> 0;
            case Evidence.Known<Health>(Health.NotReady notReady) -> {
                int failed = notReady.failedChecks().size();
                yield failed == 0 ? 1 : 1 + MOST_CHECKS - Math.min(MOST_CHECKS, failed);
            }
            case Evidence.Known<Health>(Health.Ready _) -> 1 + MOST_CHECKS;
        };
    }

    private static int steps(Evidence<PivotObservation.Applied> applied) {
        return applied.map(PivotObservation.Applied::done).orElse(0);
    }
}
