package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Action.StartUnderstudy;
import dev.ouroboros.keeper.decide.Action.StopUnderstudy;
import dev.ouroboros.keeper.decide.StaticManifest.Absent;
import dev.ouroboros.keeper.decide.StaticManifest.Foreign;
import dev.ouroboros.keeper.decide.StaticManifest.OfStart;
import dev.ouroboros.keeper.decide.StaticManifest.Ours;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.evidence.Health.NotListening;
import java.util.Optional;

/**
 * Decides when an understudy is needed and when it gives way. The keeper itself is not among its components.
 *
 * <pre>
 * verdict            an API server                        all others, since they are known to belong here
 * LEAVES             start at once                        -
 * DEAD               start at once                        -
 * FAILS              start after failover                 start after patience: the kubelet starts a living pod again;
 *                                                         later for a leader that runs, whose Lease no other gets sooner
 * REJECTED           -                                    start at once: nobody else will
 * ABSENT             -                                    start after failover: a replacement pod is there sooner, and a
 *                                                         pod that nobody creates or schedules never
 * WAITS_FOR_ETCD     nothing: another would wait too      -
 * SERVES, steady     stop when nobody is sent to it and   stop
 *                    the drain time is over
 * UNKNOWN            nothing                              nothing
 * ABSENT, REJECTED,  -                                    nothing; stop
 * leads elsewhere
 * ABSENT, REJECTED,  -                                    stop when the understudy has led for two minutes
 * stands by elsewhere
 * any, switched off  -                                    nothing; stop after patience when no pod of it lives: it was scaled to zero
 * </pre>
 *
 * <p>An API server that does not belong here is not started while another node has, or may have, one. One of an older version than the newest
 * that ever served, or that may be older, is started only when no other is known to answer (docs/architecture.md, rule 5).
 */
final class Failover {
    private final Moment moment;
    private final Plan plan;
    private final Evidence<Integer> otherApiServers;

    private final Course course;
    private final HungPrincipal hung;

    /** @param course what a change of the API server asks for */
    Failover(Moment moment, Plan plan, Evidence<Integer> otherApiServers, Course course, HungPrincipal hung) {
        this.moment = moment;
        this.plan = plan;
        this.otherApiServers = otherApiServers;
        this.course = course;
        this.hung = hung;
    }

    /** A start or stop that the evidence asks for. */
    private record Need(Reason reason, String evidence) {}

    /**
     * @param rival another component of the same role that may have an understudy, which would listen on the same port
     * @return why an understudy that is needed is not started; empty when none is needed, or it is there, or it is started now
     */
    Optional<String> decide(Judged component, Optional<ComponentName> rival) {
        Optional<Need> stop = needToStop(component);
        if (stop.isPresent()) {
            plan.add(
                    new StopUnderstudy(component.name()),
                    stop.get().reason(),
                    stop.get().evidence());
            return Optional.empty();
        }
        Optional<Need> start = needToStart(component);
        return start.isEmpty() ? Optional.empty() : start(component, start.get(), rival);
    }

    /** Whether its understudy should be there: what {@link #decide} would like to start now. */
    private Optional<Need> needToStart(Judged component) {
        Optional<Reason> reason = component.isApiServer() ? apiServerNeed(component) : otherNeed(component);
        String evidence = component.isApiServer() ? Explain.probes(component) : Explain.pods(component.seen());
        return reason.map(why -> new Need(why, evidence));
    }

    private Optional<Reason> apiServerNeed(Judged component) {
        boolean othersAnswer = otherApiServers.is(count -> count > 0);
        // That it does not belong here, an API server says: another one, while it is not known that there is none.
        boolean elsewhere =
                component.seen().belongs().is(belongs -> !belongs) && !otherApiServers.is(count -> count == 0);
        boolean current = component.seen().outdated().is(outdated -> !outdated);
        if (elsewhere || (othersAnswer && !current)) {
            return Optional.empty();
        }
        return switch (component.verdict()) {
            case LEAVES -> current ? Optional.of(Reason.PRINCIPAL_IS_LEAVING) : Optional.empty();
            case DEAD -> Optional.of(Reason.PRINCIPAL_IS_DEAD);
            case FAILS -> hasLasted(component) ? Optional.of(Reason.PRINCIPAL_FAILS) : Optional.empty();
            case SERVES, WAITS_FOR_ETCD, REJECTED, ABSENT, UNKNOWN -> Optional.empty();
        };
    }

    private Optional<Reason> otherNeed(Judged component) {
        boolean wanted = component.seen().belongs().is(Boolean::booleanValue)
                // Its pods live on when nobody is there to delete them: they are no wish for more of it.
                && !component.seen().switchedOff().is(Boolean::booleanValue);
        if (!wanted || component.isElsewhere() || component.isLeftToOthers()) {
            return Optional.empty();
        }
        return switch (component.verdict()) {
            case REJECTED -> Optional.of(Reason.KUBELET_REJECTED_IT);
            case ABSENT -> hasLasted(component) ? Optional.of(Reason.NO_POD_IS_THERE) : Optional.empty();
            case FAILS -> hasLasted(component) ? Optional.of(Reason.NO_POD_IS_READY) : Optional.empty();
            case SERVES, LEAVES, DEAD, WAITS_FOR_ETCD, UNKNOWN -> Optional.empty();
        };
    }

    private boolean hasLasted(Judged component) {
        return moment.lasted(component.memory().failingSince(), component.patience(moment.settings()));
    }

    /** Not at once: the understudy may be the only controller manager, which still has to delete the surplus pods. */
    private boolean isSwitchedOff(Judged component) {
        return !component.isApiServer()
                && component.isSwitchedOff()
                && moment.lasted(
                        component.memory().unwantedSince(), moment.settings().patience());
    }

    private Optional<String> start(Judged component, Need need, Optional<ComponentName> rival) {
        Optional<Revision> best = bestOf(component);
        if (best.isEmpty()) {
            return Optional.of("a checkpoint: " + Explain.slots(component.seen().slots())
                    + (component.seen().role().isIndispensable()
                            ? "; without one 'ouro start', run on this node, brings it back"
                            : ""));
        }
        return switch (component.seen().manifest()) {
            case Unknown<StaticManifest>(String why) -> Optional.of("the kubelet's manifest directory: " + why);
            case Known<StaticManifest>(Foreign _) ->
                Optional.of("the static manifest that somebody else wrote in the understudy's place to be removed");
            case Known<StaticManifest>(OfStart _) -> {
                hung.cutOff(component);
                yield Optional.empty();
            }
            case Known<StaticManifest>(Ours(Revision revision)) -> {
                hung.cutOff(component);
                if (!revision.equals(best.get()) && isUnproven(component, revision)) {
                    plan.add(
                            new StartUnderstudy(component.name(), best.get()),
                            Reason.CANDIDATE_IS_UNPROVEN,
                            need.evidence());
                } else if (!revision.equals(best.get()) && isDown(component)) {
                    plan.add(new StartUnderstudy(component.name(), best.get()), need.reason(), need.evidence());
                }
                yield Optional.empty();
            }
            case Known<StaticManifest>(Absent _) -> {
                if (rival.isPresent()) {
                    yield Optional.of("the understudy of " + rival.get() + ", which has the same ports, to be gone");
                }
                // Cut off first, or the kubelet would wait for the principal before it starts the understudy.
                hung.cutOff(component);
                plan.add(new StartUnderstudy(component.name(), best.get()), need.reason(), need.evidence());
                yield Optional.empty();
            }
        };
    }

    private Optional<Revision> bestOf(Judged component) {
        Slots slots = component.seen().slots().orElse(Slots.NONE);
        return component.isApiServer() ? course.best(slots) : slots.best();
    }

    /** Whether an untrusted candidate has the understudy's place: last-good replaces it without waiting. */
    private boolean isUnproven(Judged component, Revision revision) {
        return component.isApiServer()
                && !course.trusts(revision, component.seen().slots().orElse(Slots.NONE));
    }

    /** An understudy of another revision is replaced only when it does not listen. */
    private static boolean isDown(Judged component) {
        return component.seen().understudy().is(health -> health instanceof NotListening);
    }

    private Optional<Need> needToStop(Judged component) {
        if (component.hasUnderstudy() && isSwitchedOff(component)) {
            return Optional.of(new Need(Reason.SCALED_TO_ZERO, Explain.pods(component.seen())));
        }
        if (component.hasUnderstudy() && (component.isElsewhere() || component.mayHandOver(moment))) {
            return Optional.of(new Need(Reason.ANOTHER_NODE_HAS_IT, Explain.pods(component.seen())));
        }
        if (!component.hasUnderstudy() || !component.isSteady(moment)) {
            return Optional.empty();
        }
        boolean held = course.holdsUnderstudy() || component.doubt().isShared();
        if (component.isApiServer() && held) {
            return Optional.empty();
        }
        if (!component.isApiServer()) {
            return Optional.of(new Need(Reason.PRINCIPAL_IS_BACK, Explain.pods(component.seen())));
        }
        boolean drained =
                moment.lasted(component.memory().movedSince(), moment.settings().drain());
        return drained ? Optional.of(new Need(Reason.CLIENTS_HAVE_MOVED, Explain.probes(component))) : Optional.empty();
    }
}
