package dev.ouroboros.core.pivot;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.evidence.Health;
import java.time.Instant;
import java.util.stream.Stream;

/**
 * How far a pivot has come: what is slow comes forward, what hangs does not.
 *
 * @param steps the most that was in place at once; what comes and goes again is counted once
 * @param since when that was seen first, or when the phase began, if that is later
 */
record Progress(int steps, Instant since) {
    static Progress begin(Instant now) {
        return new Progress(0, now);
    }

    Progress seen(Observation seen, Instant now) {
        int inPlace = stepsOf(seen);
        return inPlace > steps ? new Progress(inPlace, now) : this;
    }

    Progress inNextPhase(Instant now) {
        return new Progress(steps, now);
    }

    /** Counts what is known to be in place. There is an end to it, so that what never ends is given up all the same. */
    private static int stepsOf(Observation seen) {
        return Stream.concat(Stream.of(seen.understudy(), seen.principal()), seen.helpers().values().stream())
                        .mapToInt(Progress::stepsOf)
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

    private static int stepsOf(Evidence<Health> probe) {
        return Health.isReady(probe) ? 2 : Health.listens(probe) ? 1 : 0;
    }

    private static int steps(Evidence<Observation.Applied> applied) {
        return applied.map(Observation.Applied::done).orElse(0);
    }
}
