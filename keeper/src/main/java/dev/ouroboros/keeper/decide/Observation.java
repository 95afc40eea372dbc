package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.leader.LeaderLease;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Everything a keeper decides on. An API server of another cluster, or one that has not been asked who it is, counts as no answer:
 * the sources say unknown then.
 *
 * @param components everything that is annotated, or has a checkpoint or a manifest of ours or of start's, on this node; the keeper's
 *     own among them
 * @param self this process, as one of the keeper's copies
 * @param start whether {@code ouro start} is at work here
 * @param front where the front port leads
 * @param serviceEndpoints whether Endpoints and EndpointSlice of the kubernetes Service are right
 * @param node the Node object of this machine
 * @param rejected pods of this node that the kubelet will never run, and that block their controller
 * @param keeperWanted whether the keeper's own DaemonSet exists, and wants a pod on this node
 * @param podCheckpointer whether a pod of bootkube's pod-checkpointer lives on this node: two that start and stop the same pods
 *     would fight
 * @param otherApiServers how many API servers of this cluster are ready on other nodes
 * @param checkpoints summary of the checkpoints on this node's disk; unknown as a whole while any part of it is
 * @param abandonedLeases leader-election Leases whose holder ran on this node and has ended, and that nobody renews
 * @param countsAreKept whether a controller manager has led for long enough that what controllers count is of now; known only while a leader's pod is missing
 *     here
 * @param change what is known of a change of this node's API server
 */
public record Observation(
        SortedMap<ComponentName, ComponentSeen> components,
        SelfSeen self,
        Evidence<StartSeen> start,
        Evidence<FrontState> front,
        Evidence<Boolean> serviceEndpoints,
        Evidence<NodeSeen> node,
        Evidence<List<RejectedPod>> rejected,
        Evidence<Boolean> keeperWanted,
        Evidence<Boolean> podCheckpointer,
        Evidence<Integer> otherApiServers,
        Evidence<CheckpointSummary> checkpoints,
        Evidence<List<LeaderLease>> abandonedLeases,
        Evidence<Boolean> countsAreKept,
        ChangeSeen change) {
    public Observation {
        components = Collections.unmodifiableSortedMap(new TreeMap<>(components));
    }

    /** What a keeper has seen when it begins. */
    public static Observation nothing(boolean staticCopy, String why) {
        return new Observation(
                new TreeMap<>(),
                new SelfSeen(staticCopy, Evidence.unknown(why)),
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
                ChangeSeen.unknown(why));
    }

    public boolean staticCopy() {
        return self.staticCopy();
    }

    /** @param staticCopy whether this process is the static copy, and not the API-managed pod */
    public record SelfSeen(boolean staticCopy, Evidence<Successor> successor) {}

    /** What {@code ouro start} left of itself. */
    public sealed interface StartSeen {
        /** It holds its lock. */
        record AtWork() implements StartSeen {}

        /**
         * Nobody holds the lock.
         *
         * @param unfinished whether its journal says that a pivot did not end
         */
        record Idle(boolean unfinished) implements StartSeen {}
    }

    /**
     * @param labelled whether it has every label that the control plane's node selectors ask for
     * @param hasRole whether it has one of them: while an upgrade brings another label, there are two, and it has one
     * @param controlPlane whether the cluster says that it is a control-plane node: a pod of an API server is bound to it
     * @param told what its annotation says of its checkpoints, empty when there is none; unknown when it cannot be understood
     */
    public record NodeSeen(
            boolean labelled, boolean hasRole, boolean controlPlane, Evidence<Optional<CheckpointSummary>> told) {}

    /**
     * @param reason as in the pod's status, for example NodeAffinity
     */
    public record RejectedPod(String namespace, String name, String uid, String reason) {}
}
