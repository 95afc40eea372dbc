package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Observation.RejectedPod;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.leader.LeaderLease;
import dev.ouroboros.model.problem.Problem;
import java.util.List;
import java.util.Optional;

/** Something a keeper wants done. Every action is idempotent: it may be asked for again until the observation shows its effect. */
public sealed interface Action {
    /** Save what the component is made of as its candidate, with its image. */
    record SaveCandidate(ComponentName component, Revision revision) implements Action {}

    /** Make the candidate the last-good, at once. */
    record Promote(ComponentName component, Revision revision) implements Action {}

    /** Forget a candidate that was not proven. */
    record DropCandidate(ComponentName component, Revision revision) implements Action {}

    /** Remove every checkpoint of the component. */
    record Retire(ComponentName component) implements Action {}

    /** Tell people, on the pod, why it is not checkpointed. */
    record ReportRefusal(ComponentName component, String podUid, List<Problem> problems) implements Action {
        public ReportRefusal {
            problems = List.copyOf(problems);
        }
    }

    /** Write the understudy's static manifest from a checkpoint; its image is brought back first when the node lost it. */
    record StartUnderstudy(ComponentName component, Revision revision) implements Action {}

    /** Remove the understudy's static manifest, if it is ours or start's. */
    record StopUnderstudy(ComponentName component) implements Action {}

    /** Install the front's table; an existing one keeps its map. */
    record InstallFront() implements Action {}

    /** Send new connections to a server; to the understudy with a fresh lease. */
    record PointFront(Server server) implements Action {}

    /** For the time of a lease, answer every packet for a hanging API server's principal with a TCP reset. */
    record CutOff(ComponentName component) implements Action {}

    /** Let packets through to the principal again. */
    record LetThrough() implements Action {}

    /** Make Endpoints and EndpointSlice of the kubernetes Service lead to this node's API port. */
    record WriteServiceEndpoints() implements Action {}

    /** Give this machine's Node the control-plane label again. */
    record LabelNode() implements Action {}

    /** Empty the holder of a leader-election Lease whose holder has ended, so that the next leader need not wait for its end. */
    record ReleaseLeaderLease(LeaderLease lease) implements Action {
        @Override
        public String toString() {
            return "ReleaseLeaderLease[" + lease.component().id() + ", " + lease.holder() + "]";
        }
    }

    /** List the checkpoints in an annotation of this machine's Node, for readers without access to its disk. */
    record PublishCheckpoints(CheckpointSummary summary) implements Action {
        @Override
        public String toString() {
            return "PublishCheckpoints" + summary.components().keySet();
        }
    }

    /** Delete a pod that the kubelet rejected, by its uid. */
    record Reap(RejectedPod pod) implements Action {}

    /** Remove what a pivot that nobody finished left behind besides its manifests. */
    record FinishPivot() implements Action {}

    /**
     * The keeper was removed on purpose and all it kept is gone: remove the front's table, the static copy's manifest and then the
     * keeper's own checkpoint, and end.
     */
    record RemoveSelf() implements Action {}

    /** Take, or renew, the Lease under which one node at a time changes its API server. */
    record HoldLease() implements Action {}

    record ReleaseLease() implements Action {}

    /** Record on disk that a candidate proved itself; empty: that none did. The next actions rely on this record. */
    record RecordProven(ComponentName component, Optional<ChangeRecord.Proven> proven) implements Action {}

    /** Write down that a revision failed, with the last lines of its log: it is not tried again. */
    record RecordFailure(ComponentName component, ChangeRecord.Failure failure) implements Action {}

    /** Delete the principal's pod, by its uid, so that its controller makes it anew from the template. */
    record ReplacePrincipal(ComponentName component, String podUid, String podName) implements Action {}

    /**
     * Give the DaemonSet the template again that it had before, unless it has another one by now.
     *
     * @param failed the revision that the template makes now
     * @param previous hash that names the ControllerRevision with the template to go back to
     */
    record RevertTemplate(ComponentName component, Revision failed, String previous) implements Action {}

    /**
     * Tell people where the change stands, on the DaemonSet.
     *
     * @param retry value of {@link ChangeReport#RETRY_ANNOTATION} that it was decided on
     */
    record ReportChange(ComponentName component, ChangeReport report, String retry) implements Action {}

    /** Of the static copy: let the API-managed keeper that waits for the lock start. It decides, but does not act. */
    record AdmitSuccessor() implements Action {}

    /** Of the static copy, when its successor decides: end, so that the successor acts. */
    record GiveWay() implements Action {}
}
