package dev.ouroboros.bootstrap;

import dev.ouroboros.bootstrap.decide.PivotAction;
import dev.ouroboros.bootstrap.decide.PivotReason;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.start.Phase;
import dev.ouroboros.render.adopt.Alteration;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What {@code start} tells whoever listens. Only the command line prints. */
public sealed interface StartEvent {
    /** Points in time that users and benchmarks ask for. */
    enum Milestone {
        /** A request through the final endpoint was answered for the first time. */
        FIRST_ANSWER,
        /** The self-hosted API server gets all new connections. */
        SWITCHED,
        /** Nothing temporary is left: the self-hosted control plane serves alone. */
        SERVES_ALONE,
        /** What a user needs has been shown to work. */
        ACCEPTED,
        /** A keeper runs, and has on the disk what a power cut would need. */
        KEPT
    }

    /** @param resumed whether an earlier, killed start is continued */
    record Started(Instant at, boolean resumed) implements StartEvent {}

    /** What is altered in the manifests before they are applied; nothing has been changed yet. */
    record Adopting(List<Alteration> changes, List<String> remarks) implements StartEvent {}

    record PhaseEntered(Phase phase) implements StartEvent {}

    record Reached(Milestone milestone, Instant at, Duration elapsed) implements StartEvent {}

    /** The turn of an action has come: of one that was decided on and is not wanted any more by then nothing is told. */
    record Acting(PivotAction action, PivotReason reason) implements StartEvent {}

    /** An action did not succeed and will be tried again. */
    record Retrying(PivotAction action, Problem problem) implements StartEvent {}

    /** @param waitingFor changed since the last time */
    record Waiting(List<String> waitingFor) implements StartEvent {}
}
