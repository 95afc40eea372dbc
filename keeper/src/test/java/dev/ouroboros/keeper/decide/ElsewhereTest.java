package dev.ouroboros.keeper.decide;

import static dev.ouroboros.keeper.decide.KeeperScene.CONTROLLER_MANAGER;
import static dev.ouroboros.keeper.decide.KeeperScene.SCHEDULER;
import static dev.ouroboros.keeper.decide.SceneComponent.OLD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Action.ReplacePrincipal;
import dev.ouroboros.keeper.decide.Action.Retire;
import dev.ouroboros.keeper.decide.Action.StartUnderstudy;
import dev.ouroboros.keeper.decide.Action.StopUnderstudy;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Several control-plane nodes: a controller manager or scheduler that another node has. */
final class ElsewhereTest {
    private static final KeeperSettings TIMES = KeeperSettings.DEFAULT;

    private final SceneComponent scheduler = new SceneComponent(Role.SCHEDULER);
    private final KeeperScene scene = KeeperScene.beside(SCHEDULER, scheduler);

    ElsewhereTest() {
        scene.otherApiServers = Evidence.known(2);
    }

    private List<Action> later() {
        return scene.actionsAfterNothingFor(TIMES.leaveGrace());
    }

    @Nested
    final class WithoutAPodHere {
        WithoutAPodHere() {
            scheduler.pods();
        }

        @Test
        void oneThatLeadsElsewhereIsNotNeededHere() {
            scheduler.led(new Leading.Elsewhere());

            assertThat(scene.decide().actions()).isEmpty();
            assertThat(scene.actionsAfterNothingFor(TIMES.leaderPatience())).isEmpty();
            assertThat(scene.state.of(SCHEDULER).status().map(Status::condition))
                    .contains(Condition.ELSEWHERE);
        }

        /** It may be starting. That a count is old is no reason to do without for ever. */
        @Test
        void countsThatMayBeOldAreBelievedForAMoment() {
            scheduler.readyElsewhere(1).led(new Leading.Nobody());

            assertThat(scene.actionsAfterNothingFor(TIMES.leaderPatience()))
                    .containsExactly(new StartUnderstudy(SCHEDULER, OLD));
        }

        @Test
        void oneThatNobodyHasIsStarted() {
            scheduler.led(new Leading.Nobody());

            assertThat(scene.actionsAfterNothingFor(TIMES.failover()))
                    .containsExactly(new StartUnderstudy(SCHEDULER, OLD));
        }

        /** What another node has is no news of a cluster with one API server: the counts are of before the power cut. */
        @Test
        void onTheOnlyNodeThatWorksItIsStartedAtOnce() {
            scene.otherApiServers = Evidence.known(0);
            scheduler.readyElsewhere(1);

            assertThat(scene.actionsAfterNothingFor(TIMES.failover()))
                    .containsExactly(new StartUnderstudy(SCHEDULER, OLD));
        }

        @Test
        void itsUnderstudyGoesWhenOneLeadsElsewhere() {
            scheduler.understudyServes().led(new Leading.Elsewhere());

            assertThat(scene.actions()).containsExactly(new StopUnderstudy(SCHEDULER));
            assertThat(scene.reasons()).contains(Reason.ANOTHER_NODE_HAS_IT);
        }
    }

    /** Each hand-over costs as long as a Lease lasts, should the other one not be able to lead. */
    @Test
    void anUnderstudyThatLeadsHandsOverToWhoStandsBy() {
        scheduler.pods().understudyServes().readyElsewhere(1).led(new Leading.Here(scene.now));
        scene.countsAreKept = Evidence.known(true);

        assertThat(scene.actionsAfterNothingFor(Duration.ofMinutes(2))).containsExactly(new StopUnderstudy(SCHEDULER));

        scheduler.manifest(new StaticManifest.Absent()).led(new Leading.Nobody());
        assertThat(scene.actionsAfterNothingFor(TIMES.leaderPatience()))
                .as("the other one did not begin")
                .containsExactly(new StartUnderstudy(SCHEDULER, OLD));
    }

    @Test
    void anUnderstudyThatLeadsStaysWhileCountsMayBeOld() {
        scheduler.pods().understudyServes().readyElsewhere(1).led(new Leading.Here(scene.now));
        scene.countsAreKept = Evidence.known(false);

        assertThat(scene.actionsAfterNothingFor(Duration.ofMinutes(10))).isEmpty();
    }

    @Nested
    final class OnANodeWithoutTheLabel {
        OnANodeWithoutTheLabel() {
            scheduler.notSelected();
            scene.node = Evidence.known(KeeperScene.node(false, false));
        }

        @Test
        void thePodGoesWhenOneLeadsElsewhere() {
            scheduler.led(new Leading.Elsewhere());

            assertThat(scene.decide().actions()).isEmpty();
            assertThat(scene.actionsAfterNothingFor(TIMES.steady()))
                    .containsExactly(new ReplacePrincipal(SCHEDULER, SceneComponent.UID, "pod"));
            assertThat(scene.reasons()).contains(Reason.NODE_IS_NOT_SELECTED);
        }

        /** A pod that leads is moved when its own controller manager counts another one. */
        @Test
        void theLeaderGoesWhenAnotherOneStandsBy() {
            scheduler.readyElsewhere(1).led(new Leading.Here(scene.now));
            scene.countsAreKept = Evidence.known(true);

            assertThat(scene.actionsAfterNothingFor(TIMES.steady()))
                    .containsExactly(new ReplacePrincipal(SCHEDULER, SceneComponent.UID, "pod"));
        }

        /** One that failed is not counted here any more, and still in the total that nobody brings up to date. */
        @Test
        void theLeaderThatHasJustFailedStays() {
            scheduler.pods(SceneComponent.unreadyPod()).readyElsewhere(1).led(new Leading.Here(scene.now));
            scene.countsAreKept = Evidence.known(true);

            assertThat(scene.actionsAfterNothingFor(TIMES.steady())).isEmpty();
        }

        /** Found by enumeration: an understudy began, the pod was deleted and the checkpoint removed, all at once. */
        @Test
        void aPodThatFailsIsMovedAndLentNothing() {
            scheduler.pods(SceneComponent.unreadyPod()).led(new Leading.Elsewhere());

            scene.decide();
            assertThat(scene.actionsAfter(TIMES.leaderPatience().plus(TIMES.leaveGrace())))
                    .contains(new ReplacePrincipal(SCHEDULER, SceneComponent.UID, "pod"))
                    .noneMatch(StartUnderstudy.class::isInstance);
        }

        /** Without it nobody would move the pod, and its keys would stay. */
        @Test
        void theKeeperStaysUntilTheLeaderHasMoved() {
            scene.keeperWanted = Evidence.known(false);
            scheduler.led(new Leading.Nobody());

            assertThat(later()).isEmpty();
            scheduler.pods().saved(Optional.empty(), Optional.empty());
            assertThat(scene.actions()).contains(new Retire(KeeperScene.API_SERVER));
        }

        /** Who deletes the last one has a cluster in which nobody makes or places another. */
        @Test
        void theLastOneStays() {
            scheduler.led(new Leading.Nobody());

            assertThat(later()).isEmpty();
            assertThat(scene.state.of(SCHEDULER).status().map(Status::condition))
                    .contains(Condition.KEPT);
        }

        @Test
        void countsThatMayBeOldAreNoEvidence() {
            scheduler.readyElsewhere(1).led(new Leading.Nobody());

            assertThat(later()).isEmpty();
        }

        @Test
        void itsCheckpointGoesToo() {
            scheduler.pods().led(new Leading.Elsewhere());

            assertThat(later()).containsExactly(new Retire(SCHEDULER));
        }

        @Test
        void nothingIsDoneOnUnknownLabels() {
            scheduler.led(new Leading.Elsewhere()).selected = Evidence.unknown("no API");

            assertThat(later()).isEmpty();
        }
    }

    /** A controller manager counts what is ready; it is asked for no counts of itself. */
    @Test
    void aControllerManagerThatLeadsElsewhereIsEnough() {
        SceneComponent manager = new SceneComponent(Role.CONTROLLER_MANAGER).pods();
        manager.elsewhere = Evidence.unknown("not current");
        manager.led(new Leading.Elsewhere());
        scene.with(CONTROLLER_MANAGER, manager);

        assertThat(scene.actionsAfterNothingFor(TIMES.leaderPatience())).isEmpty();
    }

    @Nested
    final class WithTwoPodsHere {
        private static final PrincipalPod OTHER = new PrincipalPod("uid-2", "pod-2", true, false, 0, false);

        WithTwoPodsHere() {
            scheduler.pods(SceneComponent.readyPod(), OTHER);
        }

        private List<Action> longAfter() {
            return scene.actionsAfterNothingFor(Crowded.SENT_AFTER.multipliedBy(2));
        }

        @Test
        void oneGoesToANodeThatHasNone() {
            assertThat(scene.actionsAfterNothingFor(Crowded.SENT_AFTER))
                    .containsExactly(new ReplacePrincipal(SCHEDULER, OTHER.uid(), OTHER.name()));
            assertThat(scene.reasons()).contains(Reason.ANOTHER_NODE_HAS_NONE);
        }

        /** Seed 171 of three simulated machines: none was elsewhere, and so each stayed for the other's sake. */
        @Test
        void oneGoesFromANodeThatHasLostTheLabelToo() {
            scheduler.notSelected();
            scene.node = Evidence.known(KeeperScene.node(false, false));

            assertThat(scene.actionsAfterNothingFor(Crowded.SENT_AFTER))
                    .contains(new ReplacePrincipal(SCHEDULER, OTHER.uid(), OTHER.name()));
        }

        @Test
        void bothStayWhereEachOtherNodeHasOne() {
            scheduler.readyElsewhere(2);

            assertThat(longAfter()).isEmpty();
        }

        @Test
        void bothStayWhereNoOtherNodeServes() {
            scene.otherApiServers = Evidence.known(0);

            assertThat(longAfter()).isEmpty();
        }

        @Test
        void nothingIsDoneOnOldCounts() {
            scheduler.elsewhere = Evidence.unknown("not current");

            assertThat(longAfter()).isEmpty();
        }

        @Test
        void nothingIsDoneUntilBothAreReady() {
            scheduler.pods(SceneComponent.readyPod(), SceneComponent.unreadyPod());

            assertThat(longAfter()).noneMatch(ReplacePrincipal.class::isInstance);
        }
    }

    /** Somebody's Deployment with one pod, which went to another node when this one was lost. */
    @Test
    void whatHasNoRoleAndIsReadyElsewhereIsNotNeededHere() {
        ComponentName name = new ComponentName("edge", "gateway");
        SceneComponent gateway = new SceneComponent(Role.OTHER).pods().readyElsewhere(1);
        KeeperScene beside = KeeperScene.beside(name, gateway);
        beside.otherApiServers = Evidence.known(0);
        beside.countsAreKept = Evidence.known(true);

        assertThat(beside.actionsAfterNothingFor(TIMES.leaderPatience())).isEmpty();
        gateway.understudyServes();
        assertThat(beside.actions()).containsExactly(new StopUnderstudy(name));

        beside.countsAreKept = Evidence.known(false);
        assertThat(beside.actions())
                .as("the counts are of before the power cut")
                .isEmpty();

        gateway.manifest(new StaticManifest.Absent());
        assertThat(beside.actionsAfterNothingFor(TIMES.failover())).containsExactly(new StartUnderstudy(name, OLD));
    }

    @Test
    void aPodThatServesHereIsLeftAloneOnANodeWithTheLabel() {
        scheduler.led(new Leading.Elsewhere()).readyElsewhere(2);

        assertThat(later()).isEmpty();
    }
}
