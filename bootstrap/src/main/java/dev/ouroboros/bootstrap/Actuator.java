package dev.ouroboros.bootstrap;

import dev.ouroboros.bootstrap.decide.PivotAction;
import dev.ouroboros.bootstrap.decide.PivotDecision.Planned;
import dev.ouroboros.model.front.FrontLease;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Kind;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.front.Front;
import dev.ouroboros.node.process.Processes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * Performs actions. Actions on the node run one after the other, in the order decided; each action on the API runs on a thread
 * of its own. An action that is under way is not begun again. An action that failed, or whose effect is seen later, is not
 * begun again before {@link #RETRY_AFTER} has passed.
 */
final class Actuator implements AutoCloseable {
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    private final NodeSources nodeSources;
    private final StartApiSources apiSources;
    private final TemporaryControlPlane temporary;
    private final Optional<FrontSide> front;
    private final Processes processes;
    private final Wakeup changed;
    private final InstantSource clock;
    private final Consumer<StartEvent> listener;
    private final ExecutorService nodeLane = Executors.newSingleThreadExecutor(
            Thread.ofVirtual().name("act-node").factory());
    private final ExecutorService apiLanes = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("act-api").factory());
    private final Set<PivotAction> underWay = ConcurrentHashMap.newKeySet();
    private final Map<PivotAction, Instant> lastTried = new ConcurrentHashMap<>();
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
        this.changed = changed;
        this.clock = clock;
        this.listener = listener;
    }

    /** Why actions cannot succeed, however often they are tried. */
    List<Problem> refusals() {
        return List.copyOf(refusals);
    }

    void begin(Planned planned) {
        PivotAction action = planned.action();
        Instant last = lastTried.get(action);
        boolean tooSoon = last != null && clock.instant().isBefore(last.plus(RETRY_AFTER));
        if (tooSoon || !underWay.add(action)) {
            return;
        }
        listener.accept(new StartEvent.Acting(action, planned.reason()));
        laneOf(action).execute(() -> {
            try {
                perform(planned);
                tried(action);
            } catch (ProblemException e) {
                failed(action, e);
            } catch (RuntimeException e) {
                // Every expected failure is a ProblemException: this one is a defect, and hiding it would make start
                // wait forever.
                refusals.add(new Problem(ErrorCode.INTERNAL, action.toString(), e.toString(), "", "please report it"));
            } finally {
                underWay.remove(action);
                changed.raise();
            }
        });
    }

    private void tried(PivotAction action) {
        if (action instanceof PivotAction.DeleteOutdatedApiServer) {
            lastTried.put(action, clock.instant());
        } else {
            lastTried.remove(action);
        }
    }

    private void failed(PivotAction action, ProblemException e) {
        lastTried.put(action, clock.instant());
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

    private ExecutorService laneOf(PivotAction action) {
        return switch (action) {
            case PivotAction.InstallFront _,
                    PivotAction.PointFrontToUnderstudy _,
                    PivotAction.PointFrontToPrincipal _ -> nodeLane;
            case PivotAction.CopySecrets _, PivotAction.RemoveSecrets _ -> nodeLane;
            // Proving the front takes seconds when a firewall drops packets, and the front's lease must be renewed
            // meanwhile.
            case PivotAction.ProveFront _, PivotAction.RestartKubelet _ -> apiLanes;
            case PivotAction.WriteManifest _, PivotAction.RemoveManifest _ -> nodeLane;
            case PivotAction.ApplyManifests _,
                    PivotAction.ApplyWorkloads _,
                    PivotAction.LabelNode _,
                    PivotAction.WriteServiceEndpoints _ -> apiLanes;
            case PivotAction.DeleteOutdatedApiServer _, PivotAction.ReleaseLease _, PivotAction.RunAcceptance _ ->
                apiLanes;
        };
    }

    private void perform(Planned planned) {
        PivotAction action = planned.action();
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
            case PivotAction.WriteManifest(var component) -> temporary.writeManifest(component);
            case PivotAction.RemoveManifest(var component) -> temporary.removeManifest(component);
            case PivotAction.ApplyManifests _ -> apiSources.applyManifests();
            case PivotAction.ApplyWorkloads _ -> apiSources.applyWorkloads();
            case PivotAction.DeleteOutdatedApiServer _ -> apiSources.deleteOutdatedApiServer();
            case PivotAction.RestartKubelet _ -> nodeSources.restartKubelet(processes);
            case PivotAction.LabelNode _ -> apiSources.labelNode();
            case PivotAction.WriteServiceEndpoints _ -> apiSources.writeServiceEndpoints();
            case PivotAction.ReleaseLease(var component) -> apiSources.releaseLease(component);
            case PivotAction.RunAcceptance _ -> apiSources.runAcceptance();
        }
        // The effect is read before the action counts as done, so that the action is not decided twice.
        switch (action) {
            case PivotAction.LabelNode _, PivotAction.WriteServiceEndpoints _, PivotAction.ReleaseLease _ ->
                apiSources.refresh();
            case PivotAction.ApplyManifests _,
                    PivotAction.ApplyWorkloads _,
                    PivotAction.RunAcceptance _,
                    PivotAction.ProveFront _ -> {}
            // A watch shows the deletion a little later: tried() allows for that.
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
        // The lock is given back after this: nothing of this run may write any more by then.
        for (ExecutorService lane : List.of(nodeLane, apiLanes)) {
            lane.shutdownNow();
            lane.close();
        }
    }
}
