package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Action.ReplacePrincipal;
import dev.ouroboros.model.evidence.Evidence.Known;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/**
 * Sends one of several pods of controller manager or scheduler to another control-plane node that has none. They were placed while that one was away,
 * and whoever places pods does not look again (tectonic-installer#347): with their node both would be lost. Of a node that is none of the control plane's any
 * more the last one is {@link Misplaced}'s.
 *
 * <p>Another node's API server that is ready is all that is known of it. Where it takes no pods, as after {@code kubectl cordon}, the pod comes back
 * here, and is sent again after as long.
 */
final class Crowded {
    /** As long as a node that is lost may go on counting (--node-monitor-grace-period), and more. */
    static final Duration SENT_AFTER = Duration.ofMinutes(2);

    private final Moment moment;
    private final Plan plan;

    Crowded(Moment moment, Plan plan) {
        this.moment = moment;
        this.plan = plan;
    }

    /** Whether several are ready here, and fewer on other nodes than there are other nodes that serve. */
    static boolean isCrowded(ComponentSeen seen, Observation all) {
        return seen.isLeaderElected()
                && seen.pods()
                        .is(pods -> pods.size() > 1 && pods.stream().allMatch(pod -> pod.isAlive() && pod.ready()))
                && all.otherApiServers() instanceof Known<Integer>(Integer servers)
                && seen.elsewhere().is(count -> count < servers);
    }

    void spread(List<Judged> components) {
        for (Judged component : components) {
            if (moment.lasted(component.memory().crowdedSince(), SENT_AFTER)) {
                component.seen().pods().orElse(List.of()).stream()
                        .max(Comparator.comparing(PrincipalPod::name))
                        .ifPresent(pod -> plan.add(
                                new ReplacePrincipal(component.name(), pod.uid(), pod.name()),
                                Reason.ANOTHER_NODE_HAS_NONE,
                                Explain.pods(component.seen())));
            }
        }
    }
}
