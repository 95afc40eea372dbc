package dev.ouroboros.keeper.act;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.keeper.decide.Action;
import dev.ouroboros.keeper.decide.Decision.Planned;
import dev.ouroboros.keeper.decide.Reason;
import dev.ouroboros.keeper.observe.Signal;
import dev.ouroboros.keeper.report.DecisionLog;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.problem.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs actions. Actions that could disturb each other share a lane and run in the order decided; a slow one, such as archiving an
 * image, holds up no fail-over. An action that is under way is not begun again; one that failed is begun again after a pause that
 * doubles up to {@link #LONGEST_PAUSE}. What an action changed is looked at again before the action counts as done, and an action that
 * ended after a look began is not begun on what that look saw, so that it is not done twice. An action whose effect only a watch shows
 * is not repeated before the watch had time to show it; that time doubles too, because a server may say yes and do nothing.
 *
 * <p>An action that waits in its lane is dropped when its turn comes and the latest decision does not ask for it any more: the state
 * that it was decided on has passed, and its opposite may have been done in another lane meanwhile. So is one whose turn comes when
 * there was no decision for long, because the process stood still: what it was decided on may have passed then, too.
 */
public final class Executor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Executor.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    /** First wait for a watch event. */
    private static final Duration FIRST_WAIT = Duration.ofSeconds(1);

    private final Performer deeds;
    private final DecisionLog log;
    private final Runnable changed;
    private final InstantSource clock;
    private final Lanes lanes;
    private final Set<Action> underWay = ConcurrentHashMap.newKeySet();
    private final Map<Action, Failure> failures = new ConcurrentHashMap<>();
    private final Map<Action, Wait> waits = new ConcurrentHashMap<>();
    private final Map<Action, Instant> ended = new ConcurrentHashMap<>();
    private volatile Wanted wanted;
    private volatile boolean leaves;

    /** What the latest decision asks for. */
    private record Wanted(Set<Action> actions, Instant at) {
        Wanted {
            actions = Set.copyOf(actions);
        }
    }

    private record Failure(Instant until, Duration pause, String why) {}

    /** Time for a watch to show what was done. */
    private record Wait(Instant until, Duration pause) {}

    /** Performs what was decided. */
    interface Performer {
        void perform(Action action, Reason reason) throws ApiException;

        /** Looks at what an action changed. */
        void lookAgain(Action action);
    }

    /** @param changed called after each action */
    public Executor(ActionPerformer deeds, Lanes lanes, DecisionLog log, Runnable changed, InstantSource clock) {
        this((Performer) deeds, lanes, log, changed, clock);
    }

    Executor(Performer deeds, Lanes lanes, DecisionLog log, Runnable changed, InstantSource clock) {
        this.lanes = lanes;
        this.deeds = deeds;
        this.log = log;
        this.changed = changed;
        this.clock = clock;
        this.wanted = new Wanted(Set.of(), clock.instant());
    }

    /**
     * Begins an action, unless it is under way or failed a moment ago. While the keeper removes itself nothing is begun: another
     * action could put back what is being removed.
     */
    private void begin(Planned planned, Instant observed) {
        Action action = planned.action();
        Failure failure = failures.get(action);
        Wait wait = waits.get(action);
        Instant now = clock.instant();
        boolean tooSoon =
                (failure != null && now.isBefore(failure.until())) || (wait != null && now.isBefore(wait.until()));
        if (tooSoon || leaves || !underWay.add(action)) {
            return;
        }
        // It may have ended between the look and now: asked for only when it is not under way any more.
        Instant end = ended.get(action);
        if (end != null && end.isAfter(observed)) {
            underWay.remove(action);
            return;
        }
        leaves = action instanceof Action.RemoveSelf;
        try {
            lanes.execute(laneOf(action), () -> perform(planned));
        } catch (RejectedExecutionException e) {
            // The keeper stops.
            underWay.remove(action);
        }
    }

    /**
     * Takes up a decision: forgets the failures of actions that are not wanted any more, lets such actions never begin if they
     * still wait, and begins the wanted ones.
     *
     * @param observed when the look began on which it was decided
     */
    public void take(List<Planned> actions, Instant observed) {
        wanted = new Wanted(actions.stream().map(Planned::action).collect(Collectors.toSet()), clock.instant());
        failures.keySet().retainAll(wanted.actions());
        waits.keySet().retainAll(wanted.actions());
        ended.keySet().retainAll(wanted.actions());
        actions.forEach(action -> begin(action, observed));
    }

    /** A ReportRefusal is decided once and not again until it is done: it stays wanted while it waits. */
    private boolean isWanted(Action action) {
        Wanted latest = wanted;
        boolean stoodStill = clock.instant().isAfter(latest.at().plus(Signal.STOOD_STILL));
        return action instanceof Action.ReportRefusal || (latest.actions().contains(action) && !stoodStill);
    }

    private void perform(Planned planned) {
        Action action = planned.action();
        if (!isWanted(action)) {
            LOG.debug("component=keeper event=dropped action=\"{}\" reason=\"not wanted any more\"", action);
            if (action instanceof Action.RemoveSelf) {
                leaves = false;
            }
            underWay.remove(action);
            return;
        }
        try {
            deeds.perform(action, planned.reason());
            deeds.lookAgain(action);
            failures.remove(action);
            ended.put(action, clock.instant());
            if (isShownByAWatch(action)) {
                waits.merge(action, waitFor(FIRST_WAIT), (before, _) -> waitFor(longer(before.pause())));
            }
            log.done(planned);
        } catch (ProblemException e) {
            failed(planned, e.describe());
        } catch (ApiException e) {
            failed(planned, e.kind() + " " + e.getMessage());
        } catch (RuntimeException e) {
            // Every expected failure is one of the above: this one is a defect, and must not end the lane.
            LOG.error("component=keeper event=defect action=\"{}\"", action, e);
            failed(planned, e.toString());
        } finally {
            underWay.remove(action);
            changed.run();
        }
    }

    private void failed(Planned planned, String why) {
        Failure before = failures.get(planned.action());
        Duration pause = before == null ? FIRST_PAUSE : longer(before.pause());
        if (planned.action() instanceof Action.RemoveSelf) {
            leaves = false;
        }
        failures.put(planned.action(), new Failure(clock.instant().plus(pause), pause, why));
        if (before == null || !before.why().equals(why)) {
            log.failed(planned, why);
        }
    }

    private Wait waitFor(Duration pause) {
        return new Wait(clock.instant().plus(pause), pause);
    }

    private static Duration longer(Duration pause) {
        Duration doubled = pause.multipliedBy(2);
        return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }

    /** What a keeper decided and could not do, for people. */
    public Map<Action, String> failing() {
        Map<Action, String> result = new HashMap<>();
        failures.forEach((action, failure) -> result.put(action, failure.why()));
        return result;
    }

    /** Whether only a watch of the API server will show the effect of an action. */
    private static boolean isShownByAWatch(Action action) {
        return switch (action) {
            case Action.LabelNode _,
                    Action.PublishCheckpoints _,
                    Action.Reap _,
                    Action.ReplacePrincipal _,
                    Action.RevertTemplate _,
                    Action.ReportChange _ -> true;
            case Action.SaveCandidate _,
                    Action.Promote _,
                    Action.DropCandidate _,
                    Action.Retire _,
                    Action.ReportRefusal _,
                    Action.StartUnderstudy _,
                    Action.StopUnderstudy _,
                    Action.InstallFront _,
                    Action.PointFront _,
                    Action.CutOff _,
                    Action.LetThrough _,
                    Action.WriteServiceEndpoints _,
                    Action.ReleaseLeaderLease _,
                    Action.HoldLease _,
                    Action.ReleaseLease _,
                    Action.RecordProven _,
                    Action.RecordFailure _,
                    Action.FinishPivot _,
                    Action.RemoveSelf _,
                    Action.AdmitSuccessor _,
                    Action.GiveWay _ -> false;
        };
    }

    private static String laneOf(Action action) {
        return switch (action) {
            case Action.InstallFront _, Action.PointFront _, Action.LetThrough _ -> "front";
            // In the understudy's lane, before its start: else the kubelet would first wait for the silent
            // principal.
            case Action.CutOff(ComponentName component) -> "understudy-" + component;
            // An understudy may be written while checkpoints are saved: the one it is made from is never collected.
            case Action.StartUnderstudy(ComponentName component, var ignored) -> "understudy-" + component;
            case Action.StopUnderstudy(ComponentName component) -> "understudy-" + component;
            // No checkpoint of the keeper is saved while the keeper is removed.
            case Action.SaveCandidate _,
                    Action.Promote _,
                    Action.DropCandidate _,
                    Action.Retire _,
                    Action.RemoveSelf _ -> "checkpoints";
            case Action.ReportRefusal _,
                    Action.WriteServiceEndpoints _,
                    Action.ReleaseLeaderLease _,
                    Action.LabelNode _,
                    Action.Reap _ -> "api";
            // For people: what the cluster needs does not wait for it.
            case Action.PublishCheckpoints _ -> "tell";
            case Action.HoldLease _, Action.ReleaseLease _ -> "lease";
            case Action.RecordProven _,
                    Action.RecordFailure _,
                    Action.ReplacePrincipal _,
                    Action.RevertTemplate _,
                    Action.ReportChange _ -> "change";
            case Action.FinishPivot _, Action.AdmitSuccessor _, Action.GiveWay _ -> "self";
        };
    }

    @Override
    public void close() {
        lanes.close();
    }
}
