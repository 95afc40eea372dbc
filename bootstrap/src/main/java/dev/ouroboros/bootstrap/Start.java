package dev.ouroboros.bootstrap;

import dev.ouroboros.bootstrap.StartEvent.Milestone;
import dev.ouroboros.bootstrap.decide.Pivot;
import dev.ouroboros.bootstrap.decide.PivotDecision;
import dev.ouroboros.bootstrap.decide.PivotObservation;
import dev.ouroboros.bootstrap.decide.PivotState;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.start.Phase;
import dev.ouroboros.model.start.SelfHostedWorkload;
import dev.ouroboros.node.action.Wakeup;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Drives one pivot: looks, decides, persists, acts, until it is over. One thread decides; sources and actions have their own and
 * wake it. It may be killed at any instruction: the journal is written before a decision's actions are performed.
 */
final class Start {
    private static final Duration TICK = Duration.ofMillis(500);

    private final Pivot pivot;
    private final PivotJournal journal;
    private final ApiServerSources servers;
    private final NodeSources nodeSources;
    private final StartApiSources apiSources;
    private final Actuator actuator;
    private final Wakeup changed;
    private final InstantSource clock;
    private final Consumer<StartEvent> listener;
    private final Set<Milestone> reached = EnumSet.noneOf(Milestone.class);
    private List<String> lastWaiting = List.of();
    private Evidence<Health> lastEndpoint = Evidence.unknown("not probed yet");

    Start(
            Pivot pivot,
            PivotJournal journal,
            ApiServerSources servers,
            NodeSources nodeSources,
            StartApiSources apiSources,
            Actuator actuator,
            Wakeup changed,
            InstantSource clock,
            Consumer<StartEvent> listener) {
        this.pivot = pivot;
        this.journal = journal;
        this.servers = servers;
        this.nodeSources = nodeSources;
        this.apiSources = apiSources;
        this.actuator = actuator;
        this.changed = changed;
        this.clock = clock;
        this.listener = listener;
    }

    /**
     * Runs to the end.
     *
     * @throws ProblemException why it failed, after what had been started was removed again
     */
    void run() throws InterruptedException {
        Instant begun = clock.instant();
        var unfinished = journal.unfinished(begun);
        listener.accept(new StartEvent.Started(begun, unfinished.isPresent()));
        PivotState state = unfinished.orElseGet(() -> PivotState.initial(begun));
        listener.accept(new StartEvent.PhaseEntered(state.phase()));
        while (!state.phase().isFinal()) {
            changed.await(TICK);
            Instant looked = clock.instant();
            PivotObservation seen = observe();
            noteAnswers(seen, begun);
            PivotDecision decision = decide(seen, state);
            if (decision.state().phase() != state.phase()) {
                journal.write(decision.state());
                noteProgress(state, decision.state(), begun);
                changed.raise();
            }
            state = decision.state();
            actuator.take(decision.actions(), looked);
            noteWaiting(decision.waitingFor());
        }
        if (state.phase() == Phase.FAILED) {
            throw new ProblemException(state.failures());
        }
    }

    /**
     * Reads logs only when the pivot gives up and shows them: the decision is then made again, the same but with log lines in its reasons.
     */
    private PivotDecision decide(PivotObservation seen, PivotState state) {
        Instant now = clock.instant();
        PivotDecision decision = pivot.decide(seen, state, now);
        boolean givesUp =
                state.failures().isEmpty() && !decision.state().failures().isEmpty();
        return givesUp && seen.workloads() instanceof Known(List<SelfHostedWorkload> workloads)
                ? pivot.decide(seen.withWorkloads(Evidence.known(withLastLines(workloads))), state, now)
                : decision;
    }

    private List<SelfHostedWorkload> withLastLines(List<SelfHostedWorkload> workloads) {
        return workloads.stream().map(this::withLastLines).toList();
    }

    private SelfHostedWorkload withLastLines(SelfHostedWorkload workload) {
        try {
            return nodeSources.withLastLines(workload);
        } catch (ProblemException e) {
            return workload.with(container -> container.withLastLines(e.describe()));
        }
    }

    private PivotObservation observe() {
        NodeSources.Files files = nodeSources.files();
        StartApiSources.Small small = apiSources.small();
        return new PivotObservation(
                servers.understudy(),
                servers.principal(),
                servers.readers(),
                servers.endpoint(),
                servers.endpointServer(),
                nodeSources.helpers(),
                files.manifests(),
                files.crashes(),
                files.secrets(),
                files.front(),
                servers.frontProof(),
                apiSources.applied(),
                apiSources.workloadsApplied(),
                small.node(),
                nodeSources.kubeletRestartPending(),
                apiSources.workloads(),
                small.stale(),
                small.serviceEndpoints(),
                actuator.refusals(),
                apiSources.acceptance());
    }

    private void noteAnswers(PivotObservation seen, Instant begun) {
        if (isReady(seen.endpoint())) {
            reach(Milestone.FIRST_ANSWER, begun);
            apiSources.startOnce();
        }
        if (!seen.endpoint().equals(lastEndpoint)) {
            lastEndpoint = seen.endpoint();
            apiSources.lookAgain();
        }
    }

    private static boolean isReady(Evidence<Health> health) {
        return health.is(value -> value instanceof Health.Ready);
    }

    private void noteProgress(PivotState before, PivotState after, Instant begun) {
        switch (after.phase()) {
            case COMPLETING, TEARING_DOWN -> {
                if (before.phase() == Phase.SWITCHING) {
                    reach(Milestone.SWITCHED, begun);
                }
            }
            case ACCEPTING -> reach(Milestone.SERVES_ALONE, begun);
            case DONE -> reach(Milestone.ACCEPTED, begun);
            default -> {}
        }
        listener.accept(new StartEvent.PhaseEntered(after.phase()));
    }

    private void reach(Milestone milestone, Instant begun) {
        if (reached.add(milestone)) {
            Instant now = clock.instant();
            listener.accept(new StartEvent.Reached(milestone, now, Duration.between(begun, now)));
        }
    }

    private void noteWaiting(List<String> waitingFor) {
        if (!waitingFor.equals(lastWaiting)) {
            lastWaiting = waitingFor;
            listener.accept(new StartEvent.Waiting(waitingFor));
        }
    }
}
