package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import java.util.List;

/**
 * All that is known of one component on this node. Each part has a source of its own and is unknown when that did not answer.
 *
 * @param role what it is
 * @param pods its pods on this node, from a complete list that was followed by a watch since
 * @param belongs whether a controller still wants it on this node and asks for a checkpoint of it; known only when controllers and
 *     pods were read
 * @param selected whether this node has the labels that its controller's pods ask for
 * @param switchedOff whether its controller is there and asks for no pod at all, on any node: somebody scaled it to zero
 * @param elsewhere how many of its role are known to be ready on other nodes, of a component without a role how many of its pods; unknown also while a
 *     controller that counts them has not yet observed its current generation. Not of API servers: {@link Observation#otherApiServers}
 * @param leading who is seen to renew its Lease. Only of a controller manager or scheduler, and only while one of them has no pod here that should be
 *     here
 * @param principalRuns what the runtime says of its pods that came from the API
 * @param principal direct probe of the principal; only of an API server, unknown for all others. The detail of a server that
 *     answered but is not ready is the body of its answer ({@link Health.NotReady#failedChecks})
 * @param manifest the understudy's file, or start's temporary one
 * @param understudyRuns what the runtime says of the understudy that the present manifest asks for
 * @param understudy direct probe of the understudy, on its own port
 * @param slots its checkpoints
 * @param outdated whether {@link Slots#best} is older than the newest version that ever served this cluster; only of an API
 *     server, unknown for all others
 * @param material what could be saved now
 */
public record ComponentSeen(
        Role role,
        Evidence<List<PrincipalPod>> pods,
        Evidence<Boolean> belongs,
        Evidence<Boolean> selected,
        Evidence<Boolean> switchedOff,
        Evidence<Integer> elsewhere,
        Evidence<Leading> leading,
        Evidence<Running> principalRuns,
        Evidence<Health> principal,
        Evidence<StaticManifest> manifest,
        Evidence<Running> understudyRuns,
        Evidence<Health> understudy,
        Evidence<Slots> slots,
        Evidence<Boolean> outdated,
        Evidence<Material> material) {
    /** Whether it is an API server with a checkpoint whose revision is not known to be the one that runs. */
    public boolean isUnproven() {
        return role == Role.API_SERVER
                && slots.is(kept -> kept.best()
                        .filter(best -> !material.is(made ->
                                made instanceof Material.Complete(String _, Revision running) && running.equals(best)))
                        .isPresent());
    }

    /** Whether its program elects a leader among several copies. */
    public boolean isLeaderElected() {
        return role == Role.CONTROLLER_MANAGER || role == Role.SCHEDULER;
    }

    /**
     * Whether another node may have it: the API is known to have no living pod of it here, or one that should not be here. What is ready elsewhere is known
     * only while a controller manager is seen to count.
     */
    public boolean mayBeElsewhere() {
        boolean isAway = pods.is(all -> all.stream().noneMatch(PrincipalPod::isAlive));
        return (isLeaderElected() && (isAway || selected.is(here -> !here))) || (role == Role.OTHER && isAway);
    }

    /** Whether the API is known to have a living pod of it. */
    boolean isKnownToLive() {
        return pods.is(all -> all.stream().anyMatch(PrincipalPod::isAlive));
    }

    /** A component of which nothing is known yet. */
    public static ComponentSeen unknown(Role role, String why) {
        return new ComponentSeen(
                role,
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why));
    }
}
