package dev.ouroboros.core.keeper;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.evidence.Evidence.Known;
import dev.ouroboros.core.front.FrontState;
import dev.ouroboros.core.keeper.Action.RemoveSelf;
import dev.ouroboros.core.keeper.Action.Retire;
import dev.ouroboros.core.keeper.Action.StopUnderstudy;
import java.util.List;

/**
 * Decides what is removed for good: the only place where a last-good is given up, and never on anything unknown.
 *
 * <p>One component: known for the grace period, without interruption, not to belong here. An API server only when another one of
 * the cluster is known to be ready, or its successor on this node serves steadily and has a last-good of its own: the last way back
 * is never removed. First its understudy is stopped; its checkpoints go when nothing of it is left.
 *
 * <p>Everything: the keeper's DaemonSet is known for the grace period to be gone, the principal API server, where this node has
 * one, has served steadily and gets all new connections. First every understudy has to be gone: one that is not needed is stopped, one that is needed keeps the keeper
 * here. Then all checkpoints but the keeper's own go, and at last the keeper itself.
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
        boolean othersAnswer = otherApiServers.is(count -> count > 0);
        for (Judged component : components) {
            boolean due = moment.lasted(
                    component.memory().unwantedSince(), moment.settings().retireGrace());
            boolean replaced = hasSuccessor(component, components) && component.isSteady(moment);
            if (due && (!component.isApiServer() || othersAnswer || replaced)) {
                remove(
                        component,
                        Reason.DOES_NOT_BELONG_HERE,
                        "for " + moment.settings().retireGrace());
            }
        }
    }

    /** As when the DaemonSet of the API server was renamed. */
    private static boolean hasSuccessor(Judged component, List<Judged> components) {
        return components.stream()
                .filter(other -> other.isApiServer() && !other.name().equals(component.name()))
                .anyMatch(other -> other.seen().belongs().is(Boolean::booleanValue)
                        && other.seen().slots().is(slots -> slots.lastGood().isPresent()));
    }

    /** Removes the keeper with all that it keeps; asked for only when it is known for the grace period to be unwanted. */
    void removeKeeper(List<Judged> kept, Evidence<FrontState> front) {
        boolean served = kept.stream().filter(Judged::isApiServer).allMatch(component -> component.isSteady(moment));
        boolean leadsThere =
                front.is(state -> state instanceof FrontState.ToPrincipal || state instanceof FrontState.NotInstalled);
        if (!served || !leadsThere) {
            return;
        }
        String evidence = "unwanted for " + moment.settings().retireGrace() + ", and the API server serves";
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
