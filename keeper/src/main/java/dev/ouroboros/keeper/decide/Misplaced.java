package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Action.ReplacePrincipal;
import java.util.List;

/**
 * Moves pods of controller manager and scheduler off a node that is none of the control plane's any more: nobody else does, as node selectors
 * are looked at when a pod is placed only. A pod goes when another node is known to have the component.
 */
final class Misplaced {
    private final Moment moment;
    private final Plan plan;

    Misplaced(Moment moment, Plan plan) {
        this.moment = moment;
        this.plan = plan;
    }

    /** Of a leader here nobody but its controller manager counts who stands by: it must serve. */
    private static boolean isElsewhereToo(Judged component) {
        return component.elsewhere() == Elsewhere.LEADS
                || (component.elsewhere() == Elsewhere.STANDS_BY && component.verdict() == Verdict.SERVES);
    }

    void move(List<Judged> components) {
        for (Judged component : components) {
            ComponentSeen seen = component.seen();
            boolean due = seen.isLeaderElected()
                    && seen.selected().is(selected -> !selected)
                    && isElsewhereToo(component)
                    && moment.lasted(
                            component.memory().unwantedSince(),
                            moment.settings().steady());
            if (due) {
                seen.pods().orElse(List.of()).stream()
                        .filter(PrincipalPod::isAlive)
                        .forEach(pod -> plan.add(
                                new ReplacePrincipal(component.name(), pod.uid(), pod.name()),
                                Reason.NODE_IS_NOT_SELECTED,
                                Explain.pods(seen)));
            }
        }
    }
}
