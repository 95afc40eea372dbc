package dev.ouroboros.bootstrap;

import dev.ouroboros.bootstrap.decide.PivotAction;
import dev.ouroboros.bootstrap.decide.PivotDecision.Planned;
import dev.ouroboros.model.front.FrontLease;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Kind;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.action.ActionRunner;
import dev.ouroboros.node.action.LaneThreads;
import dev.ouroboros.node.action.Wakeup;
import dev.ouroboros.node.front.Front;
import dev.ouroboros.node.process.Processes;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Performs the actions of a pivot on this node and through the API. */
final class Actuator implements AutoCloseable {
    private final NodeSources nodeSources;
    private final StartApiSources apiSources;
    private final TemporaryControlPlane temporary;
    private final Optional<FrontSide> front;
    private final Processes processes;
    private final Consumer<StartEvent> listener;
    private final ActionRunner<PivotAction> runner;
    private final List<Problem> refusals = new CopyOnWriteArrayList<>();

    Actuator(
            NodeSources nodeSources,
            StartApiSources apiSources,
            TemporaryControlPlane temporary,
            Optional<FrontSide> front,
            Processes processes,
            Wakeup changed,
            InstantSource clock,
            Consumer<StartEvent> listener) {
        this.nodeSources = nodeSources;
        this.apiSources = apiSources;
        this.temporary = temporary;
        this.front = front;
        this.processes = processes;
        this.listener = listener;
        this.runner = new ActionRunner<>(LaneThreads.ofCommand(), changed::raise, PivotTask.SETTINGS, clock);
    }

    /** Why actions cannot succeed, however often they are tried. */
    List<Problem> refusals() {
        return List.copyOf(refusals);
    }

    /**
     * Takes up a decision.
     *
     * @param observed when the look began on which it was decided
     */
    void take(List<Planned> actions, Instant observed) {
        runner.take(actions.stream().map(RealTask::new).toList(), observed);
    }

    private final class RealTask extends PivotTask {
        RealTask(Planned planned) {
            super(planned);
        }

        @Override
        public Optional<String> perform() {
            listener.accept(new StartEvent.Acting(action(), reason()));
            try {
                Actuator.this.perform(action());
                return Optional.empty();
            } catch (ProblemException e) {
                tell(action(), e);
                return Optional.of(e.describe());
            }
        }

        @Override
        public void defect(RuntimeException e) {
            // Every expected failure is a ProblemException: hiding another one would make start wait forever.
            refusals.add(new Problem(ErrorCode.INTERNAL, action().toString(), e.toString(), "", "please report it"));
        }
    }

    private void tell(PivotAction action, ProblemException e) {
        for (Problem problem : e.problems()) {
            // Nothing depends on deleting the outdated pod: without that, start waits for the pod as it is.
            if (isForGood(problem) && !(action instanceof PivotAction.DeleteOutdatedApiServer)) {
                refusals.add(problem);
            } else {
                listener.accept(new StartEvent.Retrying(action, problem));
            }
        }
    }

    private static boolean isForGood(Problem problem) {
        return switch (problem.code()) {
            // RBAC and admission of a server that has just started can refuse what they allow a second later.
            case API_REFUSED -> !problem.what().contains("forbidden");
            case FOREIGN_FILE, MISSING_TOOL, MISSING_PERMISSION -> true;
            default -> problem.code().kind() == Kind.USER;
        };
    }

    private void perform(PivotAction action) {
        switch (action) {
            case PivotAction.InstallFront _ -> front().install();
            case PivotAction.PointFrontToUnderstudy _ -> front().pointToUnderstudy(FrontLease.TO_UNDERSTUDY);
            case PivotAction.PointFrontToPrincipal _ -> {
                front().pointToPrincipal();
                frontSide().sources().forgetEndpoint();
            }
            case PivotAction.ProveFront _ -> frontSide().sources().proveFront(processes);
            case PivotAction.CopySecrets _ -> temporary.copySecrets();
            case PivotAction.RemoveSecrets _ -> temporary.removeSecrets();
            case PivotAction.WriteManifest(var component) -> {
                nodeSources.beginsAnew(component);
                temporary.writeManifest(component);
            }
            case PivotAction.RemoveManifest(var component) -> temporary.removeManifest(component);
            case PivotAction.ApplyManifests _ -> apiSources.applyManifests();
            case PivotAction.ApplyApiServer _ -> apiSources.applyApiServer();
            case PivotAction.ApplyWorkloads _ -> apiSources.applyWorkloads();
            case PivotAction.DeleteOutdatedApiServer _ -> apiSources.deleteOutdatedApiServer();
            case PivotAction.RestartKubelet _ -> nodeSources.restartKubelet(processes);
            case PivotAction.LabelNode _ -> apiSources.labelNode();
            case PivotAction.WriteServiceEndpoints _ -> apiSources.writeServiceEndpoints();
            case PivotAction.ReleaseLeaderLease(var component) -> apiSources.releaseLease(component);
            case PivotAction.RunAcceptance _ -> apiSources.runAcceptance();
        }
        // The effect is read before the action counts as done, so that the action is not decided twice.
        switch (action) {
            case PivotAction.LabelNode _, PivotAction.WriteServiceEndpoints _, PivotAction.ReleaseLeaderLease _ ->
                apiSources.refresh();
            case PivotAction.ApplyManifests _,
                    PivotAction.ApplyApiServer _,
                    PivotAction.ApplyWorkloads _,
                    PivotAction.RunAcceptance _,
                    PivotAction.ProveFront _ -> {}
            // A watch shows the deletion a little later.
            case PivotAction.DeleteOutdatedApiServer _ -> {}
            default -> nodeSources.refresh();
        }
    }

    private Front front() {
        return frontSide().front();
    }

    private FrontSide frontSide() {
        return front.orElseThrow(() -> new IllegalStateException("decided on a front where there is none"));
    }

    /** The front, and what looks at it. */
    record FrontSide(Front front, FrontSources sources) {}

    @Override
    public void close() {
        runner.close();
    }
}
