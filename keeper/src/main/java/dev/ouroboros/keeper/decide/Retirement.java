package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Action.RemoveSelf;
import dev.ouroboros.keeper.decide.Action.Retire;
import dev.ouroboros.keeper.decide.Action.StopUnderstudy;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.FrontState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Decides what is removed for good: the only place where a last-good is given up, and never on anything unknown.
 *
 * <p>One component: known for the grace period, without interruption, not to belong here, and another way is known:
 *
 * <pre>
 * component                        another way
 * API server                       another one of the cluster is ready on another node; or a successor here
 * controller manager, scheduler    one leads on another node; or one is ready there, by counts of the current generation, and a controller manager
 *                                  or its understudy has run on this node for the grace period: only it updates the counts; or a
 *                                  successor here
 * any other                        needs none: with those three it is created and scheduled anew
 *
 * successor    another component of the same role, which belongs here, serves steadily, and has a last-good of its own
 * </pre>
 *
 * <p>So the last checkpoint that is known is kept, for ever: a scheduler that was scaled to zero on purpose runs nowhere, and when it is
 * wanted again, only an understudy can schedule its pod. First a component's understudy is stopped; the component's checkpoints go when
 * nothing of the understudy is left.
 *
 * <p>The keeper and everything it keeps: the keeper's DaemonSet is known for the grace period to be gone, and the principal API server,
 * where this node has one or had one of which anything is left, has served steadily and gets all new connections. First every understudy has to be gone: one that is not
 * needed is stopped, one that is needed keeps the keeper here. Then all checkpoints but the keeper's own go, and at last the keeper itself.
 */
final class Retirement {
    private final Moment moment;
    private final Plan plan;

    Retirement(Moment moment, Plan plan) {
        this.moment = moment;
        this.plan = plan;
    }

    /** Retires what does not belong here any more; not the keeper itself. */
    void retireComponents(List<Judged> components, Evidence<Integer> otherApiServers) {
        for (Judged component : components) {
            boolean due = moment.lasted(component.memory().unwantedSince(), grace());
            if (due && hasAnotherWay(component, components, otherApiServers)) {
                remove(component, Reason.DOES_NOT_BELONG_HERE, "for " + grace());
            }
        }
    }

    /** Whether it is known that the cluster can do without its checkpoints. */
    boolean hasAnotherWay(Judged component, List<Judged> components, Evidence<Integer> otherApiServers) {
        return switch (component.seen().role()) {
            case API_SERVER -> otherApiServers.is(count -> count > 0) || hasSuccessor(component, components);
            case CONTROLLER_MANAGER, SCHEDULER ->
                component.elsewhere() == Elsewhere.LEADS
                        || (component.seen().elsewhere().is(count -> count > 0) && countsAreKept(components))
                        || hasSuccessor(component, components);
            case KEEPER, OTHER -> true;
        };
    }

    /**
     * The API's counts of pods on other nodes are as old as the last controller manager that ran; one that has just begun waits for the
     * Lease of its predecessor to expire before it counts.
     */
    private boolean countsAreKept(List<Judged> components) {
        return components.stream()
                .filter(other -> other.seen().role() == Role.CONTROLLER_MANAGER)
                .anyMatch(other ->
                        moment.lasted(other.memory().servingSince(), grace()) || hasUnderstudyForTheGracePeriod(other));
    }

    private boolean hasUnderstudyForTheGracePeriod(Judged manager) {
        return manager.seen().understudyRuns().is(running -> running == Running.RUNNING)
                && manager.seen()
                        .understudy()
                        .is(health -> health instanceof Health.Ready(Instant since)
                                && moment.lasted(Optional.of(since), grace()));
    }

    private Duration grace() {
        return moment.settings().retireGrace();
    }

    /** As when its DaemonSet or Deployment was renamed. */
    private boolean hasSuccessor(Judged component, List<Judged> components) {
        return components.stream()
                .filter(other -> other.seen().role() == component.seen().role())
                .filter(other -> !other.name().equals(component.name()))
                .anyMatch(other -> other.seen().belongs().is(Boolean::booleanValue)
                        && other.isSteady(moment)
                        && other.seen().slots().is(slots -> slots.lastGood().isPresent()));
    }

    /** Removes the keeper with all that it keeps; asked for only when it is known for the grace period to be unwanted. */
    void removeKeeper(List<Judged> kept, Evidence<FrontState> front) {
        List<Judged> servers = kept.stream()
                .filter(component -> component.isApiServer() && !isGone(component))
                .toList();
        boolean served = servers.stream().allMatch(component -> component.isSteady(moment));
        // Where no server is left the front leads nowhere, to whichever it does: nobody is waited for until its lease
        // ends.
        boolean leadsThere = front.is(state -> switch (state) {
            case FrontState.ToPrincipal _, FrontState.NotInstalled _ -> true;
            case FrontState.ToUnderstudy _ -> servers.isEmpty();
            case FrontState.Foreign _, FrontState.Damaged _, FrontState.Unknown _ -> false;
        });
        if (!served || !leadsThere) {
            return;
        }
        String evidence = "unwanted for " + grace() + ", and the API server serves";
        for (Judged component : kept) {
            boolean needed =
                    component.isApiServer() || !component.seen().belongs().is(belongs -> !belongs);
            if (component.hasUnderstudy() && !needed) {
                plan.add(new StopUnderstudy(component.name()), Reason.KEEPER_WAS_REMOVED, evidence);
            }
        }
        if (!kept.stream().allMatch(Judged::understudyIsGone)) {
            return;
        }
        for (Judged component : kept) {
            remove(component, Reason.KEEPER_WAS_REMOVED, evidence);
        }
        if (kept.stream().allMatch(component -> component.seen().slots().is(Slots.NONE::equals))) {
            plan.add(new RemoveSelf(), Reason.KEEPER_WAS_REMOVED, evidence);
        }
    }

    /** As after a loss of power between the last file of its checkpoints and their directory, on a node that has lost its label. */
    private static boolean isGone(Judged component) {
        return component.isUnwanted()
                && component.seen().pods().is(pods -> pods.stream().noneMatch(PrincipalPod::isAlive))
                && component.seen().principalRuns().is(running -> running != Running.RUNNING)
                && component.understudyIsGone()
                && component.seen().slots().is(Slots.NONE::equals);
    }

    private void remove(Judged component, Reason reason, String evidence) {
        if (component.hasUnderstudy()) {
            plan.add(new StopUnderstudy(component.name()), reason, evidence);
        } else if (component.understudyIsGone()
                && !component.understudyIsReady()
                && component.seen().slots() instanceof Known<Slots>(Slots slots)
                && !slots.equals(Slots.NONE)) {
            plan.add(new Retire(component.name()), reason, evidence);
        }
    }
}
