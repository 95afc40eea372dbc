package dev.ouroboros.keeper.act;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.EventRecorder;
import dev.ouroboros.api.EventRecorder.About;
import dev.ouroboros.api.LeaderLeases;
import dev.ouroboros.keeper.api.EventReason;
import dev.ouroboros.keeper.checkpoint.CheckpointStore;
import dev.ouroboros.keeper.checkpoint.StaticManifests;
import dev.ouroboros.keeper.decide.Action;
import dev.ouroboros.keeper.decide.CheckpointSummary;
import dev.ouroboros.keeper.decide.KeeperSettings;
import dev.ouroboros.keeper.decide.Observation.RejectedPod;
import dev.ouroboros.keeper.decide.Reason;
import dev.ouroboros.keeper.observe.Observer;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.leader.LeaderLease;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.front.Front;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How each action is done. All may be done again at any time, in any state. */
public final class ActionPerformer implements Executor.Performer {
    private static final Logger LOG = LoggerFactory.getLogger(ActionPerformer.class);

    private final String nodeName;
    private final KeeperSettings settings;
    private final Observer observer;
    private final Tools tools;
    private final InstantSource wallClock;
    private final ChangeActions changes;
    private final Runnable end;

    /**
     * What actions are done with.
     *
     * @param admitSuccessor gives back the lock that the next keeper waits for
     */
    public record Tools(
            Front front,
            CheckpointStore store,
            StaticManifests manifests,
            Images images,
            PivotLeftovers leftovers,
            Api client,
            ClusterGuard guard,
            EventRecorder events,
            LeaderLeases leaderLeases,
            Runnable admitSuccessor) {}

    /**
     * @param settings has the front's leases
     * @param wallClock for the times that people read
     * @param end ends the keeper
     */
    public ActionPerformer(
            String nodeName,
            KeeperSettings settings,
            Observer observer,
            Tools tools,
            InstantSource wallClock,
            ChangeActions changes,
            Runnable end) {
        this.nodeName = nodeName;
        this.settings = settings;
        this.observer = observer;
        this.tools = tools;
        this.wallClock = wallClock;
        this.changes = changes;
        this.end = end;
    }

    @Override
    public void perform(Action action, Reason reason) throws ApiException {
        switch (action) {
            case Action.SaveCandidate(ComponentName component, Revision revision) -> save(component, revision);
            case Action.Promote(ComponentName component, Revision revision) -> promote(component, revision);
            case Action.DropCandidate(ComponentName component, Revision revision) ->
                tools.store().drop(component, revision);
            case Action.Retire(ComponentName component) -> {
                tools.store().retire(component);
                collectImages();
            }
            case Action.ReportRefusal(ComponentName component, String uid, var problems) ->
                refuse(component, uid, problems);
            case Action.StartUnderstudy(ComponentName component, Revision revision) ->
                startUnderstudy(component, revision, reason);
            case Action.StopUnderstudy(ComponentName component) -> stopUnderstudy(component, reason);
            case Action.InstallFront _ -> tools.front().install();
            case Action.PointFront(Server server) -> point(server, reason);
            case Action.CutOff _ -> cutOff(reason);
            case Action.LetThrough _ -> letThrough(reason);
            case Action.WriteServiceEndpoints _ -> observer.writeServiceEndpoints();
            case Action.LabelNode _ -> labelNode(reason);
            case Action.ReleaseLeaderLease(LeaderLease lease) -> {
                tools.guard().require();
                tools.leaderLeases().release(lease);
            }
            case Action.PublishCheckpoints(CheckpointSummary summary) ->
                annotateNode(Json.text(summary.text(wallClock.instant())));
            case Action.Reap(RejectedPod pod) -> reap(pod, reason);
            case Action.HoldLease _ -> changes.hold();
            case Action.ReleaseLease _ -> changes.release();
            case Action.RecordProven proven -> recordProven(proven);
            case Action.RecordFailure(ComponentName component, var failure) ->
                changes.recordFailure(component, failure, reason);
            case Action.ReplacePrincipal(ComponentName component, String uid, String name) ->
                changes.replacePrincipal(component, uid, name);
            case Action.RevertTemplate(ComponentName component, Revision failed, String previous) ->
                changes.revert(component, failed, previous);
            case Action.ReportChange report -> changes.report(report);
            case Action.FinishPivot _ -> tools.leftovers().remove();
            case Action.RemoveSelf _ -> removeSelf();
            case Action.AdmitSuccessor _ -> tools.admitSuccessor().run();
            case Action.GiveWay _ -> end.run();
        }
    }

    /** Looks at what an action changed. */
    @Override
    public void lookAgain(Action action) {
        switch (action) {
            case Action.SaveCandidate _, Action.Promote _, Action.DropCandidate _, Action.Retire _ ->
                observer.refreshCheckpoints();
            case Action.StartUnderstudy _, Action.StopUnderstudy _, Action.FinishPivot _ -> observer.refreshFiles();
            case Action.InstallFront _, Action.PointFront _, Action.CutOff _, Action.LetThrough _ ->
                observer.refreshFront();
            case Action.WriteServiceEndpoints _ -> observer.refreshService();
            case Action.ReleaseLeaderLease _ -> observer.refreshLeaders();
            case Action.RecordProven _, Action.RecordFailure _ ->
                observer.change().refreshRecord();
            case Action.HoldLease _, Action.ReleaseLease _ -> observer.change().refreshLease();
            // Shown by a watch, or nothing to see.
            case Action.ReportRefusal _,
                    Action.LabelNode _,
                    Action.PublishCheckpoints _,
                    Action.Reap _,
                    Action.ReplacePrincipal _,
                    Action.RevertTemplate _,
                    Action.ReportChange _,
                    Action.RemoveSelf _,
                    Action.AdmitSuccessor _,
                    Action.GiveWay _ -> {}
        }
    }

    /** Saves nothing when the component has changed since the decision: the next one will be about its new state. */
    private void save(ComponentName component, Revision revision) {
        Optional<Checkpoint> checkpoint = observer.checkpoint(component, revision);
        if (checkpoint.isPresent()) {
            tools.store().save(checkpoint.get());
            collect();
            tools.images().archive(checkpoint.get().images());
        }
    }

    private void promote(ComponentName component, Revision revision) {
        tools.images().archive(load(component, revision).images());
        tools.store().promote(component, revision);
        collect();
        collectImages();
        say(component, EventReason.CHECKPOINT_PROMOTED, "revision " + revision + " is proven and is the last good one");
    }

    /** Once it is recorded the former principal ends: what the runtime has pulled for the candidate since it was saved has to outlive a loss of power by then. */
    private void recordProven(Action.RecordProven action) {
        action.proven()
                .ifPresent(proven -> tools.images()
                        .archive(load(action.component(), proven.revision()).images()));
        changes.recordProven(action);
    }

    /** What cannot be read now may have been damaged since the checkpoints were looked at: another one may be whole. */
    private Checkpoint load(ComponentName component, Revision revision) {
        try {
            return tools.store().load(component, revision);
        } catch (ProblemException e) {
            observer.refreshCheckpoints();
            throw e;
        }
    }

    /** Collects only when every revision that a static manifest is made from is known. */
    private void collect() {
        if (observer.ours() instanceof Evidence.Known<SortedMap<ComponentName, Revision>>(var inUse)) {
            tools.store().collect(inUse);
        }
    }

    /** Only with every slot known: an image that is still needed must not go because a file could not be read. */
    private void collectImages() {
        tools.store().images().ifPresent(tools.images()::retainOnly);
    }

    private void refuse(ComponentName component, String uid, List<Problem> problems) {
        String text = problems.stream().map(Problem::describe).collect(Collectors.joining("; "));
        tools.events()
                .say(EventReason.CHECKPOINT_REFUSED.of(
                        new About("Pod", "v1", component.namespace(), component.name(), uid), text));
    }

    private void startUnderstudy(ComponentName component, Revision revision, Reason reason) {
        Checkpoint checkpoint = load(component, revision);
        tools.images().restoreMissing(checkpoint.images());
        Json.Fields manifest = tools.store().understudyManifest(checkpoint);
        Role role = observer.role(component);
        observer.noteStart(component);
        tools.manifests().write(component, role, Understudy.startedAt(manifest, wallClock.instant()));
        if (role != Role.KEEPER) {
            say(component, EventReason.UNDERSTUDY_STARTED, "revision " + revision + ": " + reason.description());
        }
    }

    private void stopUnderstudy(ComponentName component, Reason reason) {
        tools.manifests().remove(component, observer.role(component));
        say(component, EventReason.UNDERSTUDY_STOPPED, reason.description());
    }

    private void point(Server server, Reason reason) {
        switch (server) {
            case PRINCIPAL -> tools.front().pointToPrincipal();
            case UNDERSTUDY -> tools.front().pointToUnderstudy(settings.lease());
        }
        if (reason != Reason.LEASE_RUNS_OUT) {
            // Our own connection may lead to a server that hangs, and would fail only after a long silence.
            tools.client().reconnect();
            String to = server == Server.PRINCIPAL ? "the principal" : "the understudy";
            observer.sayOfNode(EventReason.FRONT_MOVED, "new connections go to " + to + ": " + reason.description());
        }
    }

    private void cutOff(Reason reason) {
        tools.front().cutOffPrincipal(settings.cut());
        if (reason != Reason.LEASE_RUNS_OUT) {
            tools.client().reconnect();
            observer.sayOfNode(EventReason.PRINCIPAL_CUT_OFF, reason.description());
        }
    }

    private void letThrough(Reason reason) {
        tools.front().letThrough();
        observer.sayOfNode(EventReason.PRINCIPAL_LET_THROUGH, reason.description());
    }

    private void labelNode(Reason reason) throws ApiException {
        SortedMap<String, Json> labels = new TreeMap<>();
        observer.wantedLabels().forEach(label -> labels.put(label, Json.text("")));
        patchNode(Json.object().with("labels", new Json.Fields(labels)));
        observer.sayOfNode(EventReason.NODE_LABELLED, reason.description());
    }

    /** @param checkpoints an absent value removes the annotation */
    private void annotateNode(Json checkpoints) throws ApiException {
        patchNode(Json.object().with("annotations", Json.object().with(CheckpointSummary.ANNOTATION, checkpoints)));
    }

    private void patchNode(Json.Fields metadata) throws ApiException {
        tools.guard().require();
        tools.client()
                .patch(
                        ApiPath.core("nodes").named(nodeName),
                        Api.PatchType.MERGE,
                        Json.object().with("metadata", metadata));
    }

    /**
     * Deletes without grace: a pod that was being deleted when the node lost its power keeps its grace period, which nobody counts
     * down any more after the kubelet has rejected the pod (BeforeDelete in k8s.io/apiserver/pkg/registry/rest: "graceful deletion
     * is pending, do nothing").
     */
    private void reap(RejectedPod pod, Reason reason) throws ApiException {
        tools.guard().require();
        try {
            tools.client().delete(ApiPath.core(pod.namespace(), "pods").named(pod.name()), pod.uid(), Api.Grace.NONE);
            observer.sayOfNode(
                    EventReason.REJECTED_POD_REMOVED,
                    pod.namespace() + "/" + pod.name() + " (" + pod.reason() + "): " + reason.description());
        } catch (ApiException e) {
            // The pod is gone, or another has its name: either way the rejected pod is not there any more.
            if (e.kind() != Kind.NOT_FOUND && e.kind() != Kind.CONFLICT) {
                throw e;
            }
            LOG.debug("reaped by somebody else: {}", e.getMessage());
        }
    }

    private void removeSelf() {
        stopTelling();
        tools.front().remove();
        tools.manifests().remove(Observer.SELF, Role.KEEPER);
        tools.store().retire(Observer.SELF);
        collectImages();
        end.run();
    }

    /** When no API server accepts this, the annotation stays, and {@code ouro status} says that no keeper is ready there. */
    private void stopTelling() {
        try {
            annotateNode(Json.absent());
        } catch (ApiException e) {
            LOG.warn("the Node goes on telling of checkpoints that are not there any more: {}", e.getMessage());
        }
    }

    private void say(ComponentName component, EventReason reason, String message) {
        observer.sayOfNode(reason, component + ": " + message);
    }

    /** Removes all that is left of a pivot but its manifests, which serve as understudies. */
    public interface PivotLeftovers {
        /** @throws ProblemException when the disk refuses */
        void remove();
    }
}
