package dev.ouroboros.core.keeper;

import static dev.ouroboros.core.keeper.Part.NEW;
import static dev.ouroboros.core.keeper.Part.OLD;
import static dev.ouroboros.core.keeper.Part.failedPod;
import static dev.ouroboros.core.keeper.Part.leavingPod;
import static dev.ouroboros.core.keeper.Part.readyPod;
import static dev.ouroboros.core.keeper.Part.unreadyPod;
import static dev.ouroboros.core.keeper.Scene.API_SERVER;
import static dev.ouroboros.core.keeper.Scene.CONTROLLER_MANAGER;
import static dev.ouroboros.core.keeper.Scene.SCHEDULER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.evidence.Health;
import dev.ouroboros.core.evidence.Health.NotListening;
import dev.ouroboros.core.evidence.Health.NotReady;
import dev.ouroboros.core.front.FrontState;
import dev.ouroboros.core.keeper.Action.StartUnderstudy;
import dev.ouroboros.core.keeper.Action.StopUnderstudy;
import dev.ouroboros.core.keeper.Observation.StartSeen;
import dev.ouroboros.core.keeper.StaticManifest.Foreign;
import dev.ouroboros.core.keeper.StaticManifest.OfStart;
import dev.ouroboros.core.keeper.StaticManifest.Ours;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FailoverTest {
    private static final Settings TIMES = Settings.DEFAULT;
    private static final StartUnderstudy START = new StartUnderstudy(API_SERVER, OLD);

    private static Part api() {
        return new Part(Role.API_SERVER);
    }

    private static Part other() {
        return new Part(Role.CONTROLLER_MANAGER);
    }

    private static Scene manager(Part part) {
        return Scene.beside(CONTROLLER_MANAGER, part);
    }

    @Nested
    final class OfTheApiServer {
        @Test
        void restsWhileThePrincipalServes() {
            assertThat(Scene.of(api()).actions()).isEmpty();
        }

        @Test
        void startsAtOnceAfterAPowerLoss() {
            Scene scene = Scene.of(api().dead().withoutApi());
            scene.otherApiServers = Evidence.unknown("no API");

            assertThat(scene.actions()).containsExactly(START);
            assertThat(scene.reasons()).containsExactly(Reason.PRINCIPAL_IS_DEAD);
        }

        @ParameterizedTest
        @EnumSource(
                value = Running.class,
                names = {"STOPPED", "ABSENT"})
        void startsAtOnceWhenTheRuntimeSaysItIsDead(Running running) {
            Part part = api().dead();
            part.principalRuns = Evidence.known(running);
            Scene scene = Scene.of(part);

            assertThat(scene.actions()).containsExactly(START);
        }

        @Test
        void startsAtOnceWhenTheRuntimeSaysItIsDeadAndNobodyProbed() {
            Part part = api().dead();
            part.principal = Evidence.unknown("not yet");

            assertThat(Scene.of(part).actions()).containsExactly(START);
        }

        @ParameterizedTest
        @ValueSource(strings = {"refused", "hung", "unready"})
        void startsWhenARunningPrincipalHasFailedItsProbesForTheFailoverTime(String how) {
            Health health = how.equals("refused") ? new NotListening() : new NotReady(how);
            Scene scene = Scene.of(api().principal(health));

            assertThat(scene.actionsAfterNothingFor(TIMES.failover())).containsExactly(START);
            assertThat(scene.reasons()).containsExactly(Reason.PRINCIPAL_FAILS);
        }

        @Test
        void judgesByProbesAloneWhenTheRuntimeHangs() {
            Part part = api().principal(new NotListening());
            part.principalRuns = Evidence.unknown("hangs");

            assertThat(Scene.of(part).actionsAfterNothingFor(TIMES.failover())).containsExactly(START);
        }

        @Test
        void countsAnewAfterOneGoodProbe() {
            Scene scene = Scene.of(api().principal(new NotReady("hung")));
            scene.actions();
            scene.now = scene.now.plusSeconds(2);
            scene.principalReady().actions();
            scene.api().principal(new NotReady("hung"));

            assertThat(scene.actionsAfterNothingFor(TIMES.failover())).containsExactly(START);
        }

        @Test
        void doesNotTakeAMissingProbeForAGoodOne() {
            Scene scene = Scene.of(api().principal(new NotReady("hung")));
            scene.actions();
            scene.api().principal = Evidence.unknown("the prober is late");
            assertThat(scene.actionsAfter(Duration.ofSeconds(3))).isEmpty();
            scene.api().principal(new NotReady("hung"));

            assertThat(scene.actions()).containsExactly(START);
        }

        @Test
        void startsNothingOnNothingKnown() {
            Part part = api();
            part.principal = Evidence.unknown("");
            part.principalRuns = Evidence.unknown("");
            Scene scene = Scene.of(part);
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed",
                    "[-]etcd failed: reason withheld\n[-]etcd-readiness failed: reason withheld"
                })
        void startsNothingWhileOnlyEtcdIsAway(String body) {
            Scene scene = Scene.of(api().principal(new NotReady(body)));
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
        }

        @Test
        void startsWhenMoreThanEtcdFails() {
            Scene scene = Scene.of(api().principal(new NotReady("[-]etcd failed\n[-]informer-sync failed")));

            assertThat(scene.actionsAfterNothingFor(TIMES.failover())).containsExactly(START);
        }

        @Test
        void startsBeforeADeletedPodStopsAnswering() {
            Scene scene = Scene.of(api().pods(leavingPod()));

            assertThat(scene.actions()).containsExactly(START);
            assertThat(scene.reasons()).containsExactly(Reason.PRINCIPAL_IS_LEAVING);
        }

        @Test
        void restsWhenADeletedPodIsReplacedAlready() {
            Scene scene = Scene.of(api().pods(leavingPod(), new PrincipalPod("uid-2", "new", true, false, 0, false)));

            assertThat(scene.actions()).isEmpty();
        }

        @Test
        void takesAFailedPodForNoSignThatWhatAnswersWillEnd() {
            Scene scene = Scene.of(api().pods(failedPod(), new PrincipalPod("uid-2", "b", false, true, 0, true)));

            assertThat(scene.actions()).isEmpty();
        }

        @Test
        void keepsTheUnderstudyOfADeletedPodWhenTheApiStopsAnswering() {
            Scene scene = Scene.of(api().pods(leavingPod()));
            scene.actions();
            scene.api().withoutApi().understudyServes();
            scene.toUnderstudy();

            assertThat(scene.actionsAfter(Duration.ofSeconds(2))).isEmpty();
        }

        @Test
        void hasNothingToStartWithoutACheckpoint() {
            Scene scene = Scene.of(api().dead().withoutApi().saved(Optional.empty(), Optional.empty()));

            assertThat(scene.actions()).isEmpty();
            assertThat(scene.status(API_SERVER).condition()).isEqualTo(Condition.HELPLESS);
            assertThat(scene.status(API_SERVER).waitsFor()).contains("candidate none, last-good none");
        }

        @Test
        void startsACandidateOnlyWhenNothingWasEverProven() {
            assertThat(Scene.of(api().dead().withoutApi().saved(Optional.of(NEW), Optional.empty()))
                            .actions())
                    .containsExactly(new StartUnderstudy(API_SERVER, NEW));
            assertThat(Scene.of(api().dead().withoutApi().saved(Optional.of(NEW), Optional.of(OLD)))
                            .actions())
                    .containsExactly(START);
        }

        @Test
        void startsNothingFromADiskThatCannotBeRead() {
            Part part = api().dead().withoutApi();
            part.slots = Evidence.unknown("input/output error");
            Scene scene = Scene.of(part);

            assertThat(scene.actions()).isEmpty();
            assertThat(scene.status(API_SERVER).waitsFor()).contains("input/output error");
        }

        @Test
        void writesNothingOverAForeignManifest() {
            Scene scene = Scene.of(api().dead().manifest(new Foreign()));

            assertThat(scene.actions()).isEmpty();
            assertThat(scene.status(API_SERVER).condition()).isEqualTo(Condition.HELPLESS);
            assertThat(scene.status(API_SERVER).waitsFor()).contains("somebody else");
        }

        @Test
        void writesNothingWhereItCannotSeeWhatIsThere() {
            Part part = api().dead();
            part.manifest = Evidence.unknown("permission denied");
            Scene scene = Scene.of(part);

            assertThat(scene.actions()).isEmpty();
            assertThat(scene.status(API_SERVER).waitsFor()).contains("permission denied");
        }

        @Test
        void leavesAnUnderstudyThatStartsAlone() {
            assertThat(Scene.of(api().dead().manifest(new Ours(OLD))).actions()).isEmpty();
            assertThat(Scene.of(api().dead().manifest(new OfStart())).actions()).isEmpty();
        }

        @Test
        void replacesAnUnderstudyOfAnotherRevisionOnlyWhenItIsOfNoUse() {
            assertThat(Scene.of(api().dead().manifest(new Ours(NEW))).actions()).containsExactly(START);
            assertThat(Scene.of(api().dead().manifest(new Ours(NEW)).understudy(new NotReady("")))
                            .actions())
                    .isEmpty();
        }

        @Test
        void startsNothingOfAComponentThatBelongsElsewhere() {
            Scene scene = Scene.of(api().dead().belongs(false));
            scene.otherApiServers = Evidence.known(1);

            assertThat(scene.actions()).isEmpty();
        }

        @Test
        void startsTheLastOneOfTheClusterAlthoughItsControllerIsGone() {
            assertThat(Scene.of(api().dead().belongs(false)).actions()).containsExactly(START);
        }

        @Test
        void startsAnotherOneBesideThoseOfOtherNodes() {
            Scene scene = Scene.of(api().dead());
            scene.otherApiServers = Evidence.known(2);

            assertThat(scene.actions()).containsExactly(START);
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void startsAnOlderVersionOnlyWhenNoOtherAnswers(boolean known) {
            Part part = api().dead();
            part.outdated = known ? Evidence.known(true) : Evidence.unknown("no record");
            Scene scene = Scene.of(part);
            scene.otherApiServers = Evidence.known(1);

            assertThat(scene.actions()).isEmpty();
            scene.otherApiServers = Evidence.known(0);
            assertThat(scene.actions()).containsExactly(START);
        }

        @Test
        void startsNoOlderVersionBesideANewerThatStillAnswers() {
            Part part = api().pods(leavingPod());
            part.outdated = Evidence.known(true);

            assertThat(Scene.of(part).actions()).isEmpty();
        }

        @Test
        void stopsTheUnderstudyWhenClientsHaveMovedAndTheDrainIsOver() {
            Scene scene = Scene.of(api().understudyServes());
            scene.principalReady().toUnderstudy().actions();
            scene.now = scene.now.plus(TIMES.steady());
            scene.actions();
            scene.front(new FrontState.ToPrincipal());

            assertThat(scene.actionsAfterNothingFor(TIMES.drain())).containsExactly(new StopUnderstudy(API_SERVER));
            assertThat(scene.reasons()).containsExactly(Reason.CLIENTS_HAVE_MOVED);
        }

        @Test
        void stopsAnUnderstudyOfAnAbandonedStart() {
            Scene scene = Scene.of(api().manifest(new OfStart()));

            assertThat(scene.actionsAfterNothingFor(TIMES.steady())).containsExactly(new StopUnderstudy(API_SERVER));
        }

        @Test
        void countsADrainOnlyWhileItSeesTheFront() {
            Scene scene = Scene.of(api().understudyServes());
            scene.actions();
            scene.now = scene.now.plus(TIMES.steady());
            scene.front(new FrontState.Unknown("nft failed"));
            assertThat(scene.actions()).isEmpty();
            scene.front(new FrontState.ToPrincipal());

            assertThat(scene.actionsAfterNothingFor(TIMES.drain())).containsExactly(new StopUnderstudy(API_SERVER));
        }

        @Test
        void countsSteadinessFromTheLastBadProbe() {
            Scene scene = Scene.of(api().understudyServes());
            scene.actions();
            scene.now = scene.now.plusSeconds(4);
            scene.principalReady();

            assertThat(scene.actionsAfterNothingFor(TIMES.steady())).containsExactly(new StopUnderstudy(API_SERVER));
        }

        @Test
        void keepsTheUnderstudyWhenAPrincipalThatDrainsItGoesAway() {
            Scene scene = Scene.of(api().understudyServes());
            scene.principalReady().actions();
            scene.now = scene.now.plus(TIMES.steady()).plus(TIMES.drain()).minusMillis(1);
            scene.actions();
            scene.api().dead();
            scene.now = scene.now.plusMillis(1);

            assertThat(scene.actions()).noneMatch(action -> action instanceof StopUnderstudy);
        }
    }

    @Nested
    final class OfTheOthers {
        @Test
        void restsWhileAPodIsReady() {
            assertThat(manager(other()).actions()).isEmpty();
        }

        @Test
        void startsWhenNoPodWasReadyForAsLongAsTheKubeletNeeds() {
            Scene scene = manager(other().pods(unreadyPod()));

            assertThat(scene.actionsAfterNothingFor(TIMES.patience()))
                    .containsExactly(new StartUnderstudy(CONTROLLER_MANAGER, OLD));
            assertThat(scene.reasons()).containsExactly(Reason.NO_POD_IS_READY);
        }

        @Test
        void doesNotBelieveWhatTheApiRemembersOfANodeThatWasOff() {
            Scene scene = manager(other().dead());

            assertThat(scene.actionsAfterNothingFor(TIMES.patience()))
                    .containsExactly(new StartUnderstudy(CONTROLLER_MANAGER, OLD));
        }

        @Test
        void believesTheApiWhenTheRuntimeHangs() {
            Part part = other();
            part.principalRuns = Evidence.unknown("hangs");
            Scene scene = manager(part);
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
        }

        @Test
        void startsSoonWhenThereIsNoPodThatTheKubeletCouldStart() {
            Scene scene = manager(other().pods());

            assertThat(scene.actionsAfterNothingFor(TIMES.failover()))
                    .containsExactly(new StartUnderstudy(CONTROLLER_MANAGER, OLD));
            assertThat(scene.reasons()).containsExactly(Reason.NO_POD_IS_THERE);
        }

        @Test
        void startsAtOnceWhenTheKubeletRejectedThePods() {
            Scene scene = manager(other().pods(failedPod()));

            assertThat(scene.actions()).containsExactly(new StartUnderstudy(CONTROLLER_MANAGER, OLD));
            assertThat(scene.reasons()).containsExactly(Reason.KUBELET_REJECTED_IT);
        }

        @Test
        void waitsForThePodThatReplacesARejectedOne() {
            Scene scene = manager(other().pods(failedPod(), unreadyPod()));

            assertThat(scene.actionsAfterNothingFor(TIMES.patience())).hasSize(1);
        }

        @Test
        void isNotJudgedWhileTheApiIsAwayAndCountsAnewAfterwards() {
            Scene scene = manager(other().pods(unreadyPod()));
            scene.actions();
            scene.parts.put(CONTROLLER_MANAGER, other().withoutApi().dead());
            assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
            scene.parts.put(CONTROLLER_MANAGER, other().pods(unreadyPod()));

            assertThat(scene.actionsAfterNothingFor(TIMES.patience())).hasSize(1);
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void startsNothingThatIsNotKnownToBelongHere(boolean known) {
            Part part = other().pods(failedPod());
            part.belongs = known ? Evidence.known(false) : Evidence.unknown("");
            Scene scene = manager(part);
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofMinutes(1))).isEmpty();
        }

        @Test
        void stopsTheUnderstudyWhenThePrincipalIsSteadilyReady() {
            Scene scene = manager(other().understudyServes());

            assertThat(scene.actionsAfterNothingFor(TIMES.steady()))
                    .containsExactly(new StopUnderstudy(CONTROLLER_MANAGER));
            assertThat(scene.reasons()).containsExactly(Reason.PRINCIPAL_IS_BACK);
        }

        @Test
        void countsSteadinessAnewWhenThePodWasNotReadyInBetween() {
            Scene scene = manager(other().understudyServes());
            scene.actions();
            scene.now = scene.now.plusSeconds(4);
            scene.parts.put(CONTROLLER_MANAGER, other().understudyServes().pods(unreadyPod()));
            scene.actions();
            scene.parts.put(CONTROLLER_MANAGER, other().understudyServes());

            assertThat(scene.actionsAfterNothingFor(TIMES.steady())).hasSize(1);
        }

        @Test
        void removesNoForeignManifest() {
            Scene scene = manager(other().manifest(new Foreign()));
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofMinutes(1))).isEmpty();
        }

        @Test
        void servesAnyPodThatAsksForIt() {
            Scene scene = Scene.beside(Scene.OTHER, new Part(Role.OTHER).pods(failedPod()));

            assertThat(scene.actions()).containsExactly(new StartUnderstudy(Scene.OTHER, OLD));
        }
    }

    @Nested
    final class OfTwoThatShareAPort {
        private final ComponentName renamed = new ComponentName("kube-system", "zz-renamed");

        private Scene two(Part first, Part second) {
            return manager(first).with(renamed, second);
        }

        @Test
        void givesAnUnderstudyToTheOneThatBelongsHere() {
            Part unsure = other().pods(failedPod());
            unsure.belongs = Evidence.unknown("");
            Scene scene = two(unsure, other().pods(failedPod()));

            assertThat(scene.actions()).containsExactly(new StartUnderstudy(renamed, OLD));
        }

        @Test
        void givesOneToTheFirstWhenBothHaveTheSameClaim() {
            Scene scene = two(other().pods(failedPod()), other().pods(failedPod()));

            assertThat(scene.actions()).containsExactly(new StartUnderstudy(CONTROLLER_MANAGER, OLD));
            assertThat(scene.status(renamed).waitsFor()).contains(CONTROLLER_MANAGER.toString());
        }

        @Test
        void givesNoneWhileTheOtherHasOneOrMayHaveOne() {
            Part running = other().understudyServes();
            Part hidden = other();
            hidden.manifest = Evidence.unknown("");

            assertThat(two(running, other().pods(failedPod())).actions()).isEmpty();
            assertThat(two(hidden, other().pods(failedPod())).actions()).isEmpty();
        }

        @Test
        void prefersTheOneThatCanBeStarted() {
            Scene scene =
                    two(other().pods(failedPod()).saved(Optional.empty(), Optional.empty()), other().pods(failedPod()));

            assertThat(scene.actions()).contains(new StartUnderstudy(renamed, OLD));
        }

        @Test
        void letsOthersOfOtherRolesBe() {
            Scene scene =
                    manager(other().pods(failedPod())).with(SCHEDULER, new Part(Role.SCHEDULER).pods(failedPod()));

            assertThat(scene.actions()).hasSize(2);
        }

        @Test
        void letsPodsOfPeopleBeSeveral() {
            Scene scene = Scene.beside(Scene.OTHER, new Part(Role.OTHER).pods(failedPod()))
                    .with(renamed, new Part(Role.OTHER).pods(failedPod()));

            assertThat(scene.actions()).hasSize(2);
        }
    }

    @Nested
    final class BesideOthersAtWork {
        @Test
        void isPassiveWhileStartIsAtWorkOrMayBe() {
            Scene scene = Scene.of(api().dead().made(NEW));
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
            Scene scene = Scene.of(api().dead());
            scene.start = Evidence.known(new StartSeen.Idle(true));

            assertThat(scene.actionsAfterNothingFor(TIMES.pivotGrace())).containsExactly(START);
        }

        @Test
        void countsTheGraceAnewWhenStartWasAtWorkInBetween() {
            Scene scene = Scene.of(api().dead());
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
            Scene scene = Scene.of(api().dead());
            scene.podCheckpointer = Evidence.known(true);

            assertThat(scene.actions()).isEmpty();
            assertThat(scene.status(API_SERVER).waitsFor()).contains("pod-checkpointer");
        }

        @Test
        void remembersAPodCheckpointerWhenTheApiIsAway() {
            Scene scene = Scene.of(api());
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
            Scene scene = Scene.of(api().dead());
            scene.podCheckpointer = Evidence.unknown("the runtime hangs");

            assertThat(scene.actions()).containsExactly(START);
        }
    }

    @Test
    void readyPodIsAlive() {
        assertThat(readyPod().isAlive()).isTrue();
        assertThat(leavingPod().isAlive()).isFalse();
        assertThat(failedPod().isAlive()).isFalse();
    }
}
