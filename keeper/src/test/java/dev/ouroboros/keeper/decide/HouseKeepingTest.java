package dev.ouroboros.keeper.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Action.FinishPivot;
import dev.ouroboros.keeper.decide.Action.LabelNode;
import dev.ouroboros.keeper.decide.Action.PublishCheckpoints;
import dev.ouroboros.keeper.decide.Action.Reap;
import dev.ouroboros.keeper.decide.Action.ReleaseLeaderLease;
import dev.ouroboros.keeper.decide.Action.StopUnderstudy;
import dev.ouroboros.keeper.decide.Action.WriteServiceEndpoints;
import dev.ouroboros.keeper.decide.Observation.NodeSeen;
import dev.ouroboros.keeper.decide.Observation.RejectedPod;
import dev.ouroboros.keeper.decide.Observation.StartSeen;
import dev.ouroboros.keeper.decide.StaticManifest.OfStart;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health.NotReady;
import dev.ouroboros.model.leader.LeaderLease;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class HouseKeepingTest {
    private static final KeeperSettings TIMES = KeeperSettings.DEFAULT;
    private final KeeperScene scene = KeeperScene.of(new SceneComponent(Role.API_SERVER));

    @Test
    void writesTheEndpointsOfTheServiceWhenTheyAreKnownToBeWrong() {
        scene.serviceEndpoints = Evidence.known(false);
        assertThat(scene.actions()).containsExactly(new WriteServiceEndpoints());
        assertThat(scene.reasons()).containsExactly(Reason.SERVICE_MUST_LEAD_HERE);
        scene.serviceEndpoints = Evidence.unknown("no API");
        assertThat(scene.actions()).isEmpty();
    }

    @Test
    void labelsTheNodeThatTheClusterSaysIsOfTheControlPlane() {
        scene.node = Evidence.known(KeeperScene.node(false, true));
        assertThat(scene.actions()).containsExactly(new LabelNode());
        assertThat(scene.reasons()).containsExactly(Reason.CONTROL_PLANE_NODE);
        scene.node = Evidence.unknown("no API");
        assertThat(scene.actions()).isEmpty();
    }

    /** As when Kubernetes calls them otherwise from one version on, and an upgrade asks for the new label. */
    @Test
    void aNodeThatHasAnotherLabelOfTheControlPlaneGetsTheOneThatIsAskedFor() {
        scene.node = Evidence.known(new NodeSeen(false, true, true, Evidence.known(Optional.empty())));
        scene.otherApiServers = Evidence.known(2);
        assertThat(scene.actions()).containsExactly(new LabelNode());
    }

    /** Whoever takes the label away wants the node out of the control plane, and others are there for its clients. */
    @Test
    void aLabelThatWasTakenAwayStaysAwayWhereOthersServe() {
        scene.node = Evidence.known(KeeperScene.node(false, true));
        scene.otherApiServers = Evidence.known(1);
        assertThat(scene.actions()).isEmpty();
        scene.otherApiServers = Evidence.unknown("not all were asked");
        assertThat(scene.actions()).isEmpty();
    }

    /** As when its Node was deleted, and registered again by a kubelet that may not give it its role. */
    @Test
    void labelsTheNodeThatHasTheLastApiServerOfTheCluster() {
        scene.node = Evidence.known(KeeperScene.node(false, false));
        assertThat(scene.actions()).containsExactly(new LabelNode());
        scene.otherApiServers = Evidence.unknown("not listed");
        assertThat(scene.actions()).isEmpty();
        scene.otherApiServers = Evidence.known(0);
        scene.node = Evidence.known(KeeperScene.node(true, false));
        assertThat(scene.actions()).isEmpty();
    }

    @Test
    void labelsNoNodeThatHasNoApiServersCheckpoint() {
        KeeperScene other = KeeperScene.of(new SceneComponent(Role.SCHEDULER));
        other.node = Evidence.known(KeeperScene.node(false, false));

        assertThat(other.actions()).isEmpty();
    }

    @Test
    void releasesTheLeaseOfALeaderThatHasEnded() {
        LeaderLease lease = new LeaderLease(
                Component.SCHEDULER, "kube-scheduler-1_3f", KeeperScene.BEGIN, KeeperScene.BEGIN.plusSeconds(9));
        scene.abandonedLeases = Evidence.known(List.of(lease));
        assertThat(scene.actions()).containsExactly(new ReleaseLeaderLease(lease));
        assertThat(scene.reasons()).containsExactly(Reason.LEADER_HAS_ENDED);
        scene.start = Evidence.known(new StartSeen.AtWork());
        assertThat(scene.actions()).as("start releases those of its own").isEmpty();
        scene.start = Evidence.known(new StartSeen.Idle(false));
        scene.abandonedLeases = Evidence.unknown("no API");
        assertThat(scene.actions()).isEmpty();
    }

    private static CheckpointSummary summary(Revision lastGood) {
        return CheckpointSummary.of(
                Map.of(KeeperScene.API_SERVER, Evidence.known(new Slots(Optional.empty(), Optional.of(lastGood)))),
                (_, _) -> Optional.of(KeeperScene.BEGIN));
    }

    private void told(Evidence<Optional<CheckpointSummary>> told) {
        scene.node = Evidence.known(new NodeSeen(true, true, true, told));
    }

    @Test
    void tellsOnceWhatCheckpointsThereAreAndAgainWhenTheyAreOthers() {
        scene.checkpoints = Evidence.known(summary(SceneComponent.OLD));
        assertThat(scene.actions()).containsExactly(new PublishCheckpoints(summary(SceneComponent.OLD)));
        assertThat(scene.reasons()).containsExactly(Reason.NODE_TELLS_OTHERWISE);

        told(Evidence.known(Optional.of(summary(SceneComponent.OLD))));
        assertThat(scene.actions()).isEmpty();
        assertThat(scene.actionsAfter(Duration.ofDays(1))).isEmpty();

        scene.checkpoints = Evidence.known(summary(SceneComponent.NEW));
        assertThat(scene.decide().actions()).singleElement().satisfies(planned -> {
            assertThat(planned.action()).isEqualTo(new PublishCheckpoints(summary(SceneComponent.NEW)));
            assertThat(planned.evidence()).isEqualTo("it says something else of [kube-system/kube-apiserver]");
        });
    }

    @Test
    void tellsNothingWhileASlotOrTheNodeIsUnknown() {
        scene.checkpoints = Evidence.unknown("kube-system/kube-apiserver: slots.json is torn");
        assertThat(scene.actions()).isEmpty();
        scene.checkpoints = Evidence.known(summary(SceneComponent.OLD));
        scene.node = Evidence.unknown("no API");
        assertThat(scene.actions()).isEmpty();
    }

    @Test
    void writesOverWhatNobodyUnderstands() {
        scene.checkpoints = Evidence.known(summary(SceneComponent.OLD));
        told(Evidence.unknown("is not JSON"));
        assertThat(scene.actions()).containsExactly(new PublishCheckpoints(summary(SceneComponent.OLD)));
    }

    /** A keeper that has just begun on a new node has nothing to say; what was retired must not be told of for ever. */
    @Test
    void tellsOfNothingOnlyWhereSomethingWasTold() {
        assertThat(scene.actions()).isEmpty();
        told(Evidence.known(Optional.of(summary(SceneComponent.OLD))));
        assertThat(scene.actions()).containsExactly(new PublishCheckpoints(CheckpointSummary.NONE));
    }

    @Test
    void tellsNothingWhileStartIsAtWorkOrTheKeeperGoes() {
        scene.checkpoints = Evidence.known(summary(SceneComponent.OLD));
        scene.start = Evidence.known(new StartSeen.AtWork());
        assertThat(scene.actions()).isEmpty();

        scene.start = Evidence.known(new StartSeen.Idle(false));
        scene.keeperWanted = Evidence.known(false);
        scene.actions();
        assertThat(scene.actionsAfter(TIMES.retireGrace()))
                .isNotEmpty()
                .noneMatch(action -> action instanceof PublishCheckpoints);
    }

    @Test
    void reapsPodsThatTheKubeletWillNeverRun() {
        RejectedPod first = new RejectedPod("kube-system", "a", "uid-a", "NodeAffinity");
        RejectedPod second = new RejectedPod("kube-system", "b", "uid-b", "UnexpectedAdmissionError");
        scene.rejected = Evidence.known(List.of(first, second));

        assertThat(scene.actions()).containsExactly(new Reap(first), new Reap(second));
        assertThat(scene.reasons()).containsOnly(Reason.KUBELET_REJECTED_IT);
        scene.rejected = Evidence.unknown("no API");
        assertThat(scene.actions()).isEmpty();
    }

    @Test
    void tendsTheApiAlsoWhereAnAbandonedStartLeftIt() {
        scene.start = Evidence.known(new StartSeen.Idle(true));
        scene.serviceEndpoints = Evidence.known(false);
        assertThat(scene.actions()).containsExactly(new WriteServiceEndpoints());
        scene.start = Evidence.known(new StartSeen.AtWork());
        assertThat(scene.actions()).isEmpty();
    }

    @Test
    void finishesAnAbandonedPivotAfterTheGrace() {
        scene.start = Evidence.known(new StartSeen.Idle(true));

        assertThat(scene.actionsAfterNothingFor(TIMES.pivotGrace())).containsExactly(new FinishPivot());
        assertThat(scene.reasons()).containsExactly(Reason.START_WAS_ABANDONED);
    }

    @Test
    void finishesNoPivotThatIsFinishedOrGoesOn() {
        scene.actions();
        assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
        scene.start = Evidence.known(new StartSeen.AtWork());
        scene.actions();
        assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
    }

    @Test
    void managesTheTemporaryControlPlaneOfAnAbandonedStart() {
        SceneComponent server = scene.api();
        server.understudyServes().manifest(new OfStart());
        scene.start = Evidence.known(new StartSeen.Idle(true));
        assertThat(scene.actionsAfterNothingFor(TIMES.pivotGrace()))
                .containsExactly(new StopUnderstudy(KeeperScene.API_SERVER));
        server.manifest = Evidence.unknown("");
        assertThat(scene.actions()).isEmpty();
        server.manifest(new StaticManifest.Absent());

        assertThat(scene.actions()).containsExactly(new FinishPivot());
    }

    @Test
    void finishesNoPivotWhoseApiServerDoesNotServe() {
        scene.start = Evidence.known(new StartSeen.Idle(true));
        scene.api().principal(new NotReady("[-]etcd failed"));
        scene.actions();
        assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
        KeeperScene empty = new KeeperScene();
        empty.start = Evidence.known(new StartSeen.Idle(true));
        empty.actions();
        assertThat(empty.actionsAfter(Duration.ofHours(1))).isEmpty();
    }

    @Test
    void seesNothingAndDoesNothing() {
        Keeper keeper = new Keeper(TIMES);
        Decision first =
                keeper.decide(Observation.nothing(true, "just began"), KeeperState.initial(), KeeperScene.BEGIN);
        Decision later = keeper.decide(
                Observation.nothing(true, "hangs"), first.state(), KeeperScene.BEGIN.plusSeconds(100_000));

        assertThat(first.actions()).isEmpty();
        assertThat(later.actions()).isEmpty();
        assertThat(later.state()).isEqualTo(KeeperState.initial());
    }
}
