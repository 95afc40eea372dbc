package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Action.FinishPivot;
import dev.ouroboros.keeper.decide.Action.LabelNode;
import dev.ouroboros.keeper.decide.Action.PublishCheckpoints;
import dev.ouroboros.keeper.decide.Action.Reap;
import dev.ouroboros.keeper.decide.Action.ReleaseLeaderLease;
import dev.ouroboros.keeper.decide.Action.WriteServiceEndpoints;
import dev.ouroboros.keeper.decide.Observation.NodeSeen;
import dev.ouroboros.keeper.decide.Observation.RejectedPod;
import dev.ouroboros.keeper.decide.Observation.StartSeen.Idle;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.leader.LeaderLease;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Decides what the API's objects need so that the control plane of this node can run, and when an abandoned pivot is over. */
final class HouseKeeping {
    private final Moment moment;
    private final Plan plan;

    HouseKeeping(Moment moment, Plan plan) {
        this.moment = moment;
        this.plan = plan;
    }

    void tendApi(Observation seen) {
        if (seen.serviceEndpoints().is(right -> !right)) {
            plan.add(new WriteServiceEndpoints(), Reason.SERVICE_MUST_LEAD_HERE, "they lead elsewhere");
        }
        // Where others serve, whoever takes the label away wants this node out of the control plane.
        boolean isTheLast = seen.otherApiServers().is(others -> others == 0);
        if (seen.node()
                .is(node -> !node.labelled()
                        && (node.hasRole() || (isTheLast && (node.controlPlane() || hasLastApiServer(seen)))))) {
            String others = isTheLast ? ", and no other one serves" : ", but another one that the cluster asked for";
            plan.add(new LabelNode(), Reason.CONTROL_PLANE_NODE, "the Node has no such label" + others);
        }
        if (seen.abandonedLeases() instanceof Known<List<LeaderLease>>(List<LeaderLease> leases)) {
            for (LeaderLease lease : leases) {
                plan.add(
                        new ReleaseLeaderLease(lease),
                        Reason.LEADER_HAS_ENDED,
                        lease.component().id() + " is led by " + lease.holder() + ", renewed last at "
                                + lease.renewed());
            }
        }
        if (seen.rejected() instanceof Known<List<RejectedPod>>(List<RejectedPod> pods)) {
            for (RejectedPod pod : pods) {
                plan.add(
                        new Reap(pod),
                        Reason.KUBELET_REJECTED_IT,
                        pod.namespace() + "/" + pod.name() + ": " + pod.reason());
            }
        }
    }

    /**
     * Whether the only API server of the cluster has its checkpoint here. When this Node was deleted, its pods were deleted too, and the
     * kubelet that registers the Node again may not set the control-plane label: no control-plane pod would ever be bound to it again.
     */
    private static boolean hasLastApiServer(Observation seen) {
        return seen.otherApiServers().is(count -> count == 0)
                && seen.components().values().stream()
                        .anyMatch(component -> component.role() == Role.API_SERVER
                                && component.slots().is(slots -> slots.best().isPresent()));
    }

    /**
     * Lists the checkpoints on the Node when its annotation differs, and never periodically. A keeper that has no checkpoint yet adds no
     * annotation; one that has none any more updates it.
     */
    void publishCheckpoints(Observation seen) {
        if (!(seen.checkpoints() instanceof Known<CheckpointSummary>(CheckpointSummary summary))
                || !(seen.node() instanceof Known<NodeSeen>(NodeSeen node))) {
            return;
        }
        switch (node.told()) {
            case Unknown<Optional<CheckpointSummary>>(String why) -> publish(summary, "its annotation " + why);
            case Known<Optional<CheckpointSummary>>(Optional<CheckpointSummary> told) -> {
                if (told.isEmpty() && !summary.equals(CheckpointSummary.NONE)) {
                    publish(summary, "it has no such annotation");
                } else if (told.isPresent() && !told.get().equals(summary)) {
                    publish(summary, "it says something else of " + summary.differingFrom(told.get()));
                }
            }
        }
    }

    private void publish(CheckpointSummary summary, String evidence) {
        plan.add(new PublishCheckpoints(summary), Reason.NODE_TELLS_OTHERWISE, evidence);
    }

    /** A pivot is over when the principal API server serves alone and nothing temporary is left in the manifest directory. */
    void finishPivot(Observation seen, Collection<Judged> components) {
        boolean unfinished = seen.start().is(start -> start instanceof Idle(boolean open) && open);
        boolean nothingTemporary = components.stream()
                .allMatch(component ->
                        component.seen().manifest().is(manifest -> !(manifest instanceof StaticManifest.OfStart)));
        boolean served =
                components.stream().anyMatch(component -> component.isApiServer() && component.isSteady(moment));
        if (unfinished && nothingTemporary && served) {
            plan.add(
                    new FinishPivot(),
                    Reason.START_WAS_ABANDONED,
                    "the API server serves and nothing temporary is left in the manifest directory");
        }
    }
}
