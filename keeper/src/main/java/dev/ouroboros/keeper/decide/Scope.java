package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Observation.StartSeen;
import dev.ouroboros.keeper.decide.Observation.StartSeen.AtWork;
import dev.ouroboros.keeper.decide.Observation.StartSeen.Idle;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import java.time.Instant;
import java.util.Optional;

/**
 * How much of this node is the keeper's to change.
 *
 * <pre>
 * start                           pod-checkpointer    extent
 * unknown, at work                -                   NOTHING   not even a checkpoint: images would be read while start waits for them
 * idle, unfinished, in grace      -                   PIVOT     start may be run again, and its static pods are its own
 * idle                            lives               FRONT     it starts and stops the same pods
 * idle                            not, never known    ALL       one that was never seen is no reason to leave an API server dead
 * </pre>
 *
 * @param why the extent is not {@link Extent#ALL}; empty when it is
 */
record Scope(Extent extent, String why) {
    enum Extent {
        NOTHING,
        /** As FRONT, but the server that has the clients keeps them while it is ready: start demands more of a principal than readiness. */
        PIVOT,
        /** The front, which never sends anyone to a server that is not ready, and the API's objects. */
        FRONT,
        ALL
    }

    /** @param podCheckpointer whether one lives here, as far as last known */
    static Scope of(Observation seen, Optional<Instant> abandonedSince, boolean podCheckpointer, Moment moment) {
        return switch (seen.start()) {
            case Unknown<StartSeen>(String reason) ->
                new Scope(Extent.NOTHING, "whether ouro start is at work: " + reason);
            case Known<StartSeen>(AtWork _) -> new Scope(Extent.NOTHING, "ouro start to end");
            case Known<StartSeen>(Idle(boolean unfinished))
            when unfinished && !moment.lasted(abandonedSince, moment.settings().pivotGrace()) ->
                new Scope(
                        Extent.PIVOT,
                        "ouro start, whose pivot is not finished: "
                                + moment.progress(
                                        abandonedSince, moment.settings().pivotGrace()));
            case Known<StartSeen>(Idle _)
            when podCheckpointer -> new Scope(Extent.FRONT, "the pod-checkpointer of this node to be removed");
            case Known<StartSeen>(Idle _) -> new Scope(Extent.ALL, "");
        };
    }

    boolean includesFront() {
        return extent != Extent.NOTHING;
    }

    boolean isPivot() {
        return extent == Extent.PIVOT;
    }

    boolean includesAll() {
        return extent == Extent.ALL;
    }
}
