package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Checkpoints.Outcome;
import dev.ouroboros.keeper.decide.Course.Lead;
import dev.ouroboros.keeper.decide.Observation.StartSeen.Idle;
import dev.ouroboros.model.component.ComponentName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Decides what a keeper does next. Pure: no I/O, no clock; level-triggered and idempotent: it may be called at any time, and asks
 * for the same actions until the observation shows their effect. It remembers little more than since when each condition has held;
 * a keeper that was killed and restarted waits once more, and does nothing that it would not have done otherwise.
 *
 * <p>One decision:
 * <ol>
 *   <li>Say how much of the node is the keeper's to change ({@link Scope}).
 *   <li>Judge each principal by this moment's evidence ({@link Verdict}) and update what is remembered ({@link Judged}).
 *   <li>Advance a change of the API server ({@link Changing}); it constrains the steps below ({@link Course}).
 *   <li>Send new connections to a server that answers ({@link FrontKeeper}).
 *   <li>Start and stop understudies ({@link Failover}), and cut a principal that hangs off from its clients ({@link HungPrincipal}).
 *   <li>Mend the API's objects ({@link HouseKeeping}).
 *   <li>Keep the keeper's static copy ({@link SelfKeeping}).
 *   <li>Save, prove and drop checkpoints ({@link Checkpoints}), and list them in an annotation of the Node ({@link HouseKeeping}).
 *   <li>Retire what does not belong here, finish an abandoned pivot, remove the keeper when it is unwanted ({@link Retirement}).
 *   <li>Give way to the API-managed keeper.
 * </ol>
 *
 * <p>The states of a component on this node. A state is not stored anywhere: it follows from principal, manifest and front.
 *
 * <pre>
 * SERVING            -> DOUBTFUL            the principal does not serve, or nobody knows
 * DOUBTFUL           -> SERVING             it serves
 *                    -> STARTING            it has not served for long enough: the manifest is written
 *                    -> HELPLESS            the same, with nothing to start, or a foreign file in the way
 * STARTING           -> UNDERSTUDY_SERVES   the understudy answers: new connections go there
 *                    -> GIVING_WAY          the principal was faster
 * UNDERSTUDY_SERVES  -> GIVING_WAY          the principal serves
 * GIVING_WAY         -> UNDERSTUDY_SERVES   it went away again
 *                    -> SERVING             steadily: new connections go there, and after the drain the manifest is removed
 * any                -> LEAVING             known not to belong here; after the grace the understudy and the checkpoints go
 *                    -> KEPT                the same, but no other way to recover is known: both stay
 *                    -> ELSEWHERE           another node has it, and no pod of it lives here: the understudy goes, the checkpoint stays
 *                    -> SWITCHED_OFF        its controller wants no pod anywhere: the understudy goes, the last checkpoint stays
 * </pre>
 *
 * <p>What always holds: nothing is removed on unknown evidence; last-good is replaced only by what was proven and removed only by
 * {@link Retirement}; a leader's pod is moved only when another one is known to be ready, on another node ({@link Misplaced}) or here ({@link Crowded}); new connections are sent to a server that is not ready only when the other is not ready either, and to a candidate
 * that did not prove itself only when nothing better is known; an API server's principal that serves is deleted only under a proven understudy that
 * has its clients; a principal that answers anything at all is never cut off;
 * nothing foreign is written over; of one role at most one component has an understudy.
 */
public final class Keeper {
    private final KeeperSettings settings;

    public Keeper(KeeperSettings settings) {
        this.settings = settings;
    }

    public Decision decide(Observation seen, KeeperState state, Instant now) {
        Moment moment = new Moment(leavesControlPlane(seen) ? settings.leaving() : settings, now);
        boolean abandoned = seen.start().is(start -> start instanceof Idle(boolean unfinished) && unfinished);
        boolean unwanted = seen.keeperWanted().is(wanted -> !wanted);
        Optional<Instant> abandonedSince = abandoned ? moment.since(state.abandonedSince()) : Optional.empty();
        Optional<Instant> unwantedSince = unwanted ? moment.since(state.unwantedSince()) : Optional.empty();
        boolean podCheckpointer = seen.podCheckpointer().orElse(state.podCheckpointer());
        Scope scope = Scope.of(seen, abandonedSince, podCheckpointer, moment);
        Round round = new Round(seen, moment, scope, judge(seen, state, moment), new Plan());
        boolean removing = moment.lasted(unwantedSince, moment.settings().retireGrace())
                && !(leavesControlPlane(seen) && round.components().haveLeaderToMove());
        Changing.Outcome change = round.change(state.change(), removing);
        Map<ComponentName, String> blocked = round.keepServing(change.course());
        Map<ComponentName, Outcome> outcomes = round.keepCheckpoints(change.course(), removing);
        round.retire(removing);
        SortedMap<ComponentName, Status> statuses =
                round.report(blocked, outcomes, change.memory().status());
        KeeperState next = new KeeperState(
                round.remember(outcomes, statuses), abandonedSince, unwantedSince, podCheckpointer, change.memory());
        return new Decision(
                next, round.plan().actions(), statuses, change.memory().status());
    }

    /** Whether the node has no label of the control plane any more, and others serve. */
    private static boolean leavesControlPlane(Observation seen) {
        return seen.node().is(node -> !node.hasRole()) && seen.otherApiServers().is(others -> others > 0);
    }

    private static Neighbours judge(Observation seen, KeeperState state, Moment moment) {
        List<Judged> judged = new ArrayList<>();
        seen.components()
                .forEach((name, component) -> judged.add(Judged.of(name, component, state.of(name), seen, moment)));
        return new Neighbours(judged);
    }

    /** One decision: its inputs, and the plan that collects its actions. */
    private record Round(Observation seen, Moment moment, Scope scope, Neighbours components, Plan plan) {
        Changing.Outcome change(ChangeMemory before, boolean removing) {
            Optional<Judged> apiServer = components.apiServer();
            if (scope.isPivot()) {
                return Changing.passive(seen.change(), before).leading(Lead.WHO_HAS_IT);
            }
            if (apiServer.isEmpty() || !scope.includesAll() || removing) {
                return Changing.passive(seen.change(), before);
            }
            return new Changing(moment, plan).decide(apiServer.get(), seen.change(), seen.front(), before);
        }

        /** Returns why understudies that are needed are not started. */
        Map<ComponentName, String> keepServing(Course course) {
            Map<ComponentName, String> blocked = new TreeMap<>();
            HungPrincipal hung = new HungPrincipal(moment, plan, seen.front());
            if (scope.includesFront()) {
                new FrontKeeper(moment, plan, course).decide(seen.front(), components.apiServer());
                components.apiServer().ifPresent(hung::letThrough);
            }
            if (scope.includesAll()) {
                Failover failover = new Failover(moment, plan, seen.otherApiServers(), course, hung);
                for (Judged component : components.allButKeeper()) {
                    failover.decide(component, components.rivalOf(component))
                            .ifPresent(why -> blocked.put(component.name(), why));
                }
            }
            if (scope.includesFront()) {
                new HouseKeeping(moment, plan).tendApi(seen);
            }
            return blocked;
        }

        Map<ComponentName, Outcome> keepCheckpoints(Course course, boolean removing) {
            if (scope.includesAll()) {
                components.keeper().ifPresent(keeper -> self().keepStaticCopy(keeper, seen.keeperWanted()));
            }
            Checkpoints checkpoints = new Checkpoints(moment, plan, seen.otherApiServers(), course);
            Map<ComponentName, Outcome> outcomes = new TreeMap<>();
            for (Judged component : components.all()) {
                outcomes.put(component.name(), checkpoints.decide(component, scope.includesAll() && !removing));
            }
            if (scope.includesFront() && !removing) {
                new HouseKeeping(moment, plan).publishCheckpoints(seen);
            }
            return outcomes;
        }

        void retire(boolean removing) {
            if (scope.includesAll()) {
                new HouseKeeping(moment, plan).finishPivot(seen, components.all());
                Retirement retirement = new Retirement(moment, plan);
                retirement.retireComponents(components.allButKeeper(), seen.otherApiServers());
                new Misplaced(moment, plan).move(components.allButKeeper());
                new Crowded(moment, plan).spread(components.allButKeeper());
                if (removing) {
                    retirement.removeKeeper(components.allButKeeper(), seen.front());
                }
            }
            components
                    .keeper()
                    .ifPresent(keeper ->
                            self().giveWay(keeper, seen.front(), seen.self().successor()));
        }

        SortedMap<ComponentName, Status> report(
                Map<ComponentName, String> blocked, Map<ComponentName, Outcome> outcomes, ChangeStatus change) {
            StatusReport report = new StatusReport(moment, scope, change);
            Retirement retirement = new Retirement(moment, plan);
            SortedMap<ComponentName, Status> statuses = new TreeMap<>();
            for (Judged component : components.all()) {
                ComponentName name = component.name();
                String checkpoint = outcomes.getOrDefault(name, Outcome.NONE).waitsFor();
                boolean last = !retirement.hasAnotherWay(component, components.all(), seen.otherApiServers());
                statuses.put(name, report.of(component, last, Optional.ofNullable(blocked.get(name)), checkpoint));
            }
            return statuses;
        }

        SortedMap<ComponentName, Memory> remember(
                Map<ComponentName, Outcome> outcomes, Map<ComponentName, Status> statuses) {
            SortedMap<ComponentName, Memory> memories = new TreeMap<>();
            for (Judged component : components.all()) {
                ComponentName name = component.name();
                Outcome outcome = outcomes.getOrDefault(name, Outcome.NONE);
                Optional<Status> status = Optional.ofNullable(statuses.get(name));
                memories.put(name, component.memory().with(outcome.health(), outcome.reported(), status));
            }
            return memories;
        }

        private SelfKeeping self() {
            return new SelfKeeping(moment, plan, seen.staticCopy());
        }
    }
}
