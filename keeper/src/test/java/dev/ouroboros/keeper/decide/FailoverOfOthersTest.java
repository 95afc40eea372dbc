package dev.ouroboros.keeper.decide;

import static dev.ouroboros.keeper.decide.KeeperScene.API_SERVER;
import static dev.ouroboros.keeper.decide.KeeperScene.CONTROLLER_MANAGER;
import static dev.ouroboros.keeper.decide.KeeperScene.SCHEDULER;
import static dev.ouroboros.keeper.decide.SceneComponent.NEW;
import static dev.ouroboros.keeper.decide.SceneComponent.OLD;
import static dev.ouroboros.keeper.decide.SceneComponent.failedPod;
import static dev.ouroboros.keeper.decide.SceneComponent.unreadyPod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Action.StartUnderstudy;
import dev.ouroboros.keeper.decide.Action.StopUnderstudy;
import dev.ouroboros.keeper.decide.Observation.StartSeen;
import dev.ouroboros.keeper.decide.StaticManifest.Foreign;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.front.FrontState;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of everything but the API server, and of what keeps the keeper from starting anything. */
final class FailoverOfOthersTest {
    private static final KeeperSettings TIMES = KeeperSettings.DEFAULT;
    private static final StartUnderstudy START = new StartUnderstudy(API_SERVER, OLD);

    private static SceneComponent api() {
        return new SceneComponent(Role.API_SERVER);
    }

    private static SceneComponent other() {
        return new SceneComponent(Role.CONTROLLER_MANAGER);
    }

    private static KeeperScene manager(SceneComponent part) {
        return KeeperScene.beside(CONTROLLER_MANAGER, part);
    }

    @Nested
    final class OfTheOthers {
        @Test
        void restsWhileAPodIsReady() {
            assertThat(manager(other()).actions()).isEmpty();
        }

        @Test
        void startsWhenNoPodWasReadyForAsLongAsTheKubeletNeeds() {
            SceneComponent part = other().pods(unreadyPod());
            part.principalRuns = Evidence.known(Running.STOPPED);
            KeeperScene scene = manager(part);

            assertThat(scene.actionsAfterNothingFor(TIMES.patience()))
                    .containsExactly(new StartUnderstudy(CONTROLLER_MANAGER, OLD));
            assertThat(scene.reasons()).containsExactly(Reason.NO_POD_IS_READY);
        }

        /** On a slow machine it does not reach the API in time now and then; it holds its Lease, and a second one would slow all down. */
        @Test
        void waitsLongerForALeaderThatRuns() {
            KeeperScene scene = manager(other().pods(unreadyPod()));

            assertThat(scene.actionsAfterNothingFor(TIMES.leaderPatience()))
                    .containsExactly(new StartUnderstudy(CONTROLLER_MANAGER, OLD));
            assertThat(scene.reasons()).containsExactly(Reason.NO_POD_IS_READY);
        }

        @Test
        void waitsNoLongerForAnotherThatRuns() {
            KeeperScene scene = manager(new SceneComponent(Role.OTHER).pods(unreadyPod()));

            assertThat(scene.actionsAfterNothingFor(TIMES.patience()))
                    .containsExactly(new StartUnderstudy(CONTROLLER_MANAGER, OLD));
        }

        @Test
        void doesNotBelieveWhatTheApiRemembersOfANodeThatWasOff() {
            KeeperScene scene = manager(other().dead());

            assertThat(scene.actionsAfterNothingFor(TIMES.patience()))
                    .containsExactly(new StartUnderstudy(CONTROLLER_MANAGER, OLD));
        }

        @Test
        void believesTheApiWhenTheRuntimeHangs() {
            SceneComponent part = other();
            part.principalRuns = Evidence.unknown("hangs");
            KeeperScene scene = manager(part);
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
        }

        @Test
        void startsSoonWhenThereIsNoPodThatTheKubeletCouldStart() {
            KeeperScene scene = manager(other().pods());

            assertThat(scene.actionsAfterNothingFor(TIMES.failover()))
                    .containsExactly(new StartUnderstudy(CONTROLLER_MANAGER, OLD));
            assertThat(scene.reasons()).containsExactly(Reason.NO_POD_IS_THERE);
        }

        @Test
        void startsAtOnceWhenTheKubeletRejectedThePods() {
            KeeperScene scene = manager(other().pods(failedPod()));

            assertThat(scene.actions()).containsExactly(new StartUnderstudy(CONTROLLER_MANAGER, OLD));
            assertThat(scene.reasons()).containsExactly(Reason.KUBELET_REJECTED_IT);
        }

        @Test
        void waitsForThePodThatReplacesARejectedOne() {
            KeeperScene scene = manager(other().pods(failedPod(), unreadyPod()));

            assertThat(scene.actionsAfterNothingFor(TIMES.leaderPatience())).hasSize(1);
        }

        @Test
        void isNotJudgedWhileTheApiIsAwayAndCountsAnewAfterwards() {
            KeeperScene scene = manager(other().pods(unreadyPod()));
            scene.actions();
            scene.parts.put(CONTROLLER_MANAGER, other().withoutApi().dead());
            assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
            scene.parts.put(CONTROLLER_MANAGER, other().pods(unreadyPod()));

            assertThat(scene.actionsAfterNothingFor(TIMES.leaderPatience())).hasSize(1);
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void startsNothingThatIsNotKnownToBelongHere(boolean known) {
            SceneComponent part = other().pods(failedPod());
            part.belongs = known ? Evidence.known(false) : Evidence.unknown("");
            KeeperScene scene = manager(part);
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofMinutes(1))).isEmpty();
        }

        @Test
        void stopsTheUnderstudyWhenThePrincipalIsSteadilyReady() {
            KeeperScene scene = manager(other().understudyServes());

            assertThat(scene.actionsAfterNothingFor(TIMES.steady()))
                    .containsExactly(new StopUnderstudy(CONTROLLER_MANAGER));
            assertThat(scene.reasons()).containsExactly(Reason.PRINCIPAL_IS_BACK);
        }

        @Test
        void countsSteadinessAnewWhenThePodWasNotReadyInBetween() {
            KeeperScene scene = manager(other().understudyServes());
            scene.actions();
            scene.now = scene.now.plusSeconds(4);
            scene.parts.put(CONTROLLER_MANAGER, other().understudyServes().pods(unreadyPod()));
            scene.actions();
            scene.parts.put(CONTROLLER_MANAGER, other().understudyServes());

            assertThat(scene.actionsAfterNothingFor(TIMES.steady())).hasSize(1);
        }

        @Test
        void removesNoForeignManifest() {
            KeeperScene scene = manager(other().manifest(new Foreign()));
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofMinutes(1))).isEmpty();
        }

        @Test
        void servesAnyPodThatAsksForIt() {
            KeeperScene scene = KeeperScene.beside(KeeperScene.OTHER, new SceneComponent(Role.OTHER).pods(failedPod()));

            assertThat(scene.actions()).containsExactly(new StartUnderstudy(KeeperScene.OTHER, OLD));
        }
    }

    /** Scaled to zero and back, when nobody may be left to make its pod, or to place it. */
    @Nested
    final class OfWhatPeopleScale {
        private static final Duration LONG = Duration.ofDays(30);

        @Test
        void startsNothingWhileNobodyWantsIt() {
            KeeperScene scene = manager(other().switchedOff());
            scene.actions();

            assertThat(scene.actionsAfter(LONG)).isEmpty();
        }

        /** Seed 2352: when the controller manager is away as well, the pod lives on, and crashes. */
        @Test
        void startsNothingThatNobodyWantsAlthoughAPodOfItLives() {
            SceneComponent part = other().switchedOff().belongs(true).pods(unreadyPod());
            KeeperScene scene = manager(part);
            scene.actions();
            assertThat(scene.actionsAfter(LONG)).isEmpty();
            part.pods(failedPod());

            assertThat(scene.actionsAfter(LONG)).isEmpty();
        }

        @Test
        void lendsAnUnderstudyWhenItIsWantedAgainAndWasGivenTheTimeToBeMadeAndPlaced() {
            SceneComponent part = other().switchedOff();
            KeeperScene scene = manager(part);
            scene.actions();
            scene.actionsAfter(LONG);
            part.wantedAgain();

            assertThat(scene.actionsAfterNothingFor(TIMES.failover()))
                    .containsExactly(new StartUnderstudy(CONTROLLER_MANAGER, OLD));
        }

        @Test
        void lendsNoneWhenItsPodIsMadeAndPlaced() {
            SceneComponent part = other().switchedOff();
            KeeperScene scene = manager(part);
            scene.actions();
            scene.actionsAfter(LONG);
            part.wantedAgain();
            scene.actions();
            part.pods(unreadyPod());
            scene.actionsAfter(TIMES.failover().minusSeconds(1));
            part.pods(SceneComponent.readyPod());

            assertThat(scene.actionsAfter(LONG)).isEmpty();
        }

        /** As of a node selector that no node meets. */
        @Test
        void lendsOneForAsLongAsItsPodIsPlacedNowhere() {
            SceneComponent part = other().wantedAgain().understudyServes();
            KeeperScene scene = manager(part);
            scene.actions();

            assertThat(scene.actionsAfter(LONG)).isEmpty();
            assertThat(scene.actionsAfter(LONG)).isEmpty();
        }

        @Test
        void lendsOneOfWhatWasProvenAlthoughACandidateWasSaved() {
            KeeperScene scene = manager(other().wantedAgain().saved(Optional.of(NEW), Optional.of(OLD)));
            scene.actions();

            assertThat(scene.actionsAfter(TIMES.failover())).contains(new StartUnderstudy(CONTROLLER_MANAGER, OLD));
        }

        /** While it is the only controller manager, it has pods to delete. */
        @Test
        void stopsTheUnderstudyOfWhatIsScaledToZeroAfterAWhile() {
            KeeperScene scene = manager(other().switchedOff().understudyServes());

            assertThat(scene.actionsAfterNothingFor(TIMES.patience()))
                    .containsExactly(new StopUnderstudy(CONTROLLER_MANAGER));
            assertThat(scene.reasons()).containsExactly(Reason.SCALED_TO_ZERO);
        }

        @Test
        void stopsNoneWhenItIsUnknownWhatIsWanted() {
            SceneComponent part = other().pods().understudyServes();
            part.switchedOff = Evidence.unknown("no API");
            part.belongs = Evidence.unknown("no API");
            KeeperScene scene = manager(part);
            scene.actions();

            assertThat(scene.actionsAfter(LONG)).isEmpty();
        }
    }

    @Nested
    final class OfTwoThatShareAPort {
        private final ComponentName renamed = new ComponentName("kube-system", "zz-renamed");

        private KeeperScene two(SceneComponent first, SceneComponent second) {
            return manager(first).with(renamed, second);
        }

        @Test
        void givesAnUnderstudyToTheOneThatBelongsHere() {
            SceneComponent unsure = other().pods(failedPod());
            unsure.belongs = Evidence.unknown("");
            KeeperScene scene = two(unsure, other().pods(failedPod()));

            assertThat(scene.actions()).containsExactly(new StartUnderstudy(renamed, OLD));
        }

        @Test
        void givesOneToTheFirstWhenBothHaveTheSameClaim() {
            KeeperScene scene = two(other().pods(failedPod()), other().pods(failedPod()));

            assertThat(scene.actions()).containsExactly(new StartUnderstudy(CONTROLLER_MANAGER, OLD));
            assertThat(scene.status(renamed).waitsFor()).contains(CONTROLLER_MANAGER.toString());
        }

        @Test
        void givesNoneWhileTheOtherHasOneOrMayHaveOne() {
            SceneComponent running = other().understudyServes();
            SceneComponent hidden = other();
            hidden.manifest = Evidence.unknown("");

            assertThat(two(running, other().pods(failedPod())).actions()).isEmpty();
            assertThat(two(hidden, other().pods(failedPod())).actions()).isEmpty();
        }

        @Test
        void prefersTheOneThatCanBeStarted() {
            KeeperScene scene =
                    two(other().pods(failedPod()).saved(Optional.empty(), Optional.empty()), other().pods(failedPod()));

            assertThat(scene.actions()).contains(new StartUnderstudy(renamed, OLD));
        }

        @Test
        void letsOthersOfOtherRolesBe() {
            KeeperScene scene = manager(other().pods(failedPod()))
                    .with(SCHEDULER, new SceneComponent(Role.SCHEDULER).pods(failedPod()));

            assertThat(scene.actions()).hasSize(2);
        }

        @Test
        void letsPodsOfPeopleBeSeveral() {
            KeeperScene scene = KeeperScene.beside(KeeperScene.OTHER, new SceneComponent(Role.OTHER).pods(failedPod()))
                    .with(renamed, new SceneComponent(Role.OTHER).pods(failedPod()));

            assertThat(scene.actions()).hasSize(2);
        }
    }

    @Nested
    final class BesideOthersAtWork {
        @Test
        void isPassiveWhileStartIsAtWorkOrMayBe() {
            KeeperScene scene = KeeperScene.of(api().dead().made(NEW));
            scene.serviceEndpoints = Evidence.known(false);
            scene.front(new FrontState.NotInstalled());
            scene.start = Evidence.known(new StartSeen.AtWork());
            assertThat(scene.actions()).isEmpty();
            assertThat(scene.status(API_SERVER).waitsFor()).isEqualTo("ouro start to end");
            scene.start = Evidence.unknown("no lock file");
            assertThat(scene.actions()).isEmpty();
            assertThat(scene.status(API_SERVER).condition()).isEqualTo(Condition.PASSIVE);
        }

        @Test
        void leavesStaticPodsAloneWhileStartMayBeRunAgain() {
            KeeperScene scene = KeeperScene.of(api().dead());
            scene.start = Evidence.known(new StartSeen.Idle(true));

            assertThat(scene.actionsAfterNothingFor(TIMES.pivotGrace())).containsExactly(START);
        }

        @Test
        void countsTheGraceAnewWhenStartWasAtWorkInBetween() {
            KeeperScene scene = KeeperScene.of(api().dead());
            scene.start = Evidence.known(new StartSeen.Idle(true));
            scene.actions();
            scene.now = scene.now.plusSeconds(20);
            scene.start = Evidence.known(new StartSeen.AtWork());
            scene.actions();
            scene.start = Evidence.known(new StartSeen.Idle(true));

            assertThat(scene.actionsAfterNothingFor(TIMES.pivotGrace())).containsExactly(START);
        }

        @Test
        void startsNothingBesideALivingPodCheckpointer() {
            KeeperScene scene = KeeperScene.of(api().dead());
            scene.podCheckpointer = Evidence.known(true);

            assertThat(scene.actions()).isEmpty();
            assertThat(scene.status(API_SERVER).waitsFor()).contains("pod-checkpointer");
        }

        @Test
        void remembersAPodCheckpointerWhenTheApiIsAway() {
            KeeperScene scene = KeeperScene.of(api());
            scene.podCheckpointer = Evidence.known(true);
            scene.actions();
            scene.podCheckpointer = Evidence.unknown("no API");
            scene.api().dead().withoutApi();
            scene.actions();
            assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
            scene.podCheckpointer = Evidence.known(false);

            assertThat(scene.actions()).containsExactly(START);
        }

        @Test
        void startsWhenItIsUnknownWhetherAPodCheckpointerLives() {
            KeeperScene scene = KeeperScene.of(api().dead());
            scene.podCheckpointer = Evidence.unknown("the runtime hangs");

            assertThat(scene.actions()).containsExactly(START);
        }
    }
}
