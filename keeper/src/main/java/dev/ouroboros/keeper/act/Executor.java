package dev.ouroboros.keeper.act;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.keeper.decide.Action;
import dev.ouroboros.keeper.decide.Decision.Planned;
import dev.ouroboros.keeper.decide.Reason;
import dev.ouroboros.keeper.observe.Signal;
import dev.ouroboros.keeper.report.DecisionLog;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.action.ActionRunner;
import dev.ouroboros.node.action.Lanes;
import dev.ouroboros.node.action.Task;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Performs the keeper's actions: in which lane, what is special about each, and what is told of it. */
public final class Executor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Executor.class);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    private final Performer performer;
    private final DecisionLog log;
    private final ActionRunner<Action> runner;

    /** Performs what was decided. */
    interface Performer {
        void perform(Action action, Reason reason) throws ApiException;

        /** Looks at what an action changed. */
        void lookAgain(Action action);
    }

    /** @param changed called after each action */
    public Executor(ActionPerformer performer, Lanes lanes, DecisionLog log, Runnable changed, InstantSource clock) {
        this((Performer) performer, lanes, log, changed, clock);
    }

    Executor(Performer performer, Lanes lanes, DecisionLog log, Runnable changed, InstantSource clock) {
        this.performer = performer;
        this.log = log;
        this.runner = new ActionRunner<>(
                lanes, changed, new ActionRunner.Settings(LONGEST_PAUSE, Signal.DECISION_IS_OLD), clock);
    }

    /**
     * Takes up a decision.
     *
     * @param observed when the look began on which it was decided
     */
    public void take(List<Planned> actions, Instant observed) {
        runner.take(actions.stream().map(PlannedTask::new).toList(), observed);
    }

    /** What a keeper decided and could not do, for people. */
    public Map<Action, String> failing() {
        return runner.failing();
    }

    private final class PlannedTask implements Task<Action> {
        private final Planned planned;

        PlannedTask(Planned planned) {
            this.planned = planned;
        }

        @Override
        public Action action() {
            return planned.action();
        }

        @Override
        public String lane() {
            return laneOf(planned.action());
        }

        @Override
        public Kind kind() {
            return kindOf(planned.action());
        }

        @Override
        public Optional<String> perform() {
            try {
                performer.perform(planned.action(), planned.reason());
                performer.lookAgain(planned.action());
            } catch (ProblemException e) {
                return Optional.of(e.describe());
            } catch (ApiException e) {
                return Optional.of(e.kind() + " " + e.getMessage());
            }
            log.done(planned);
            return Optional.empty();
        }

        @Override
        public void failed(String why) {
            log.failed(planned, why);
        }

        @Override
        public void dropped() {
            LOG.debug("component=keeper event=dropped action=\"{}\"", planned.action());
        }

        @Override
        public void defect(RuntimeException e) {
            LOG.error("component=keeper event=defect action=\"{}\"", planned.action(), e);
        }
    }

    private static Task.Kind kindOf(Action action) {
        return switch (action) {
            case Action.LabelNode _,
                    Action.PublishCheckpoints _,
                    Action.Reap _,
                    Action.ReplacePrincipal _,
                    Action.RevertTemplate _,
                    Action.ReportChange _ -> Task.Kind.SHOWN_LATER;
            case Action.ReportRefusal _ -> Task.Kind.DECIDED_ONCE;
            case Action.RemoveSelf _ -> Task.Kind.LAST;
            case Action.SaveCandidate _,
                    Action.Promote _,
                    Action.DropCandidate _,
                    Action.Retire _,
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
                    Action.AdmitSuccessor _,
                    Action.GiveWay _ -> Task.Kind.USUAL;
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
        runner.close();
    }
}
