package dev.ouroboros.keeper.decide;

import static dev.ouroboros.keeper.decide.KeeperScene.API_SERVER;
import static dev.ouroboros.keeper.decide.SceneComponent.NEW;
import static dev.ouroboros.keeper.decide.SceneComponent.OLD;
import static dev.ouroboros.keeper.decide.SceneComponent.failedPod;
import static dev.ouroboros.keeper.decide.SceneComponent.leavingPod;
import static dev.ouroboros.keeper.decide.SceneComponent.readyPod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Action.PointFront;
import dev.ouroboros.keeper.decide.Action.StartUnderstudy;
import dev.ouroboros.keeper.decide.Action.StopUnderstudy;
import dev.ouroboros.keeper.decide.StaticManifest.Foreign;
import dev.ouroboros.keeper.decide.StaticManifest.OfStart;
import dev.ouroboros.keeper.decide.StaticManifest.Ours;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.evidence.Health.NotListening;
import dev.ouroboros.model.evidence.Health.NotReady;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.Server;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FailoverTest {
    private static final KeeperSettings TIMES = KeeperSettings.DEFAULT;
    private static final StartUnderstudy START = new StartUnderstudy(API_SERVER, OLD);

    private static SceneComponent api() {
        return new SceneComponent(Role.API_SERVER);
    }

    @Nested
    final class OfTheApiServer {
        @Test
        void restsWhileThePrincipalServes() {
            assertThat(KeeperScene.of(api()).actions()).isEmpty();
        }

        @Test
        void startsAtOnceAfterAPowerLoss() {
            KeeperScene scene = KeeperScene.of(api().dead().withoutApi());
            scene.otherApiServers = Evidence.unknown("no API");

            assertThat(scene.actions()).containsExactly(START);
            assertThat(scene.reasons()).containsExactly(Reason.PRINCIPAL_IS_DEAD);
        }

        @ParameterizedTest
        @EnumSource(
                value = Running.class,
                names = {"STOPPED", "ABSENT"})
        void startsAtOnceWhenTheRuntimeSaysItIsDead(Running running) {
            SceneComponent part = api().dead();
            part.principalRuns = Evidence.known(running);
            KeeperScene scene = KeeperScene.of(part);

            assertThat(scene.actions()).containsExactly(START);
        }

        @Test
        void startsAtOnceWhenTheRuntimeSaysItIsDeadAndNobodyProbed() {
            SceneComponent part = api().dead();
            part.principal = Evidence.unknown("not yet");

            assertThat(KeeperScene.of(part).actions()).containsExactly(START);
        }

        @ParameterizedTest
        @ValueSource(strings = {"refused", "hung", "unready"})
        void startsWhenARunningPrincipalHasFailedItsProbesForTheFailoverTime(String how) {
            Health health = how.equals("refused") ? new NotListening() : new NotReady(how);
            KeeperScene scene = KeeperScene.of(api().principal(health));

            assertThat(scene.actionsAfterNothingFor(TIMES.failover())).containsExactly(START);
            assertThat(scene.reasons()).containsExactly(Reason.PRINCIPAL_FAILS);
        }

        @Test
        void judgesByProbesAloneWhenTheRuntimeHangs() {
            SceneComponent part = api().principal(new NotListening());
            part.principalRuns = Evidence.unknown("hangs");

            assertThat(KeeperScene.of(part).actionsAfterNothingFor(TIMES.failover()))
                    .containsExactly(START);
        }

        @Test
        void countsAnewAfterOneGoodProbe() {
            KeeperScene scene = KeeperScene.of(api().principal(new NotReady("hung")));
            scene.actions();
            scene.now = scene.now.plusSeconds(2);
            scene.principalReady().actions();
            scene.api().principal(new NotReady("hung"));

            assertThat(scene.actionsAfterNothingFor(TIMES.failover())).containsExactly(START);
        }

        @Test
        void doesNotTakeAMissingProbeForAGoodOne() {
            KeeperScene scene = KeeperScene.of(api().principal(new NotReady("hung")));
            scene.actions();
            scene.api().principal = Evidence.unknown("the prober is late");
            assertThat(scene.actionsAfter(Duration.ofSeconds(3))).isEmpty();
            scene.api().principal(new NotReady("hung"));

            assertThat(scene.actions()).containsExactly(START);
        }

        @Test
        void startsNothingOnNothingKnown() {
            SceneComponent part = api();
            part.principal = Evidence.unknown("");
            part.principalRuns = Evidence.unknown("");
            KeeperScene scene = KeeperScene.of(part);
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
            KeeperScene scene = KeeperScene.of(api().principal(new NotReady(body)));
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
        }

        @Test
        void startsWhenMoreThanEtcdFails() {
            KeeperScene scene =
                    KeeperScene.of(api().principal(new NotReady("[-]etcd failed\n[-]informer-sync failed")));

            assertThat(scene.actionsAfterNothingFor(TIMES.failover())).containsExactly(START);
        }

        @Test
        void startsBeforeADeletedPodStopsAnswering() {
            KeeperScene scene = KeeperScene.of(api().pods(leavingPod()));

            assertThat(scene.actions()).containsExactly(START);
            assertThat(scene.reasons()).containsExactly(Reason.PRINCIPAL_IS_LEAVING);
        }

        @Test
        void restsWhenADeletedPodIsReplacedAlready() {
            KeeperScene scene =
                    KeeperScene.of(api().pods(leavingPod(), new PrincipalPod("uid-2", "new", true, false, 0, false)));

            assertThat(scene.actions()).isEmpty();
        }

        @Test
        void takesAFailedPodForNoSignThatWhatAnswersWillEnd() {
            KeeperScene scene =
                    KeeperScene.of(api().pods(failedPod(), new PrincipalPod("uid-2", "b", false, true, 0, true)));

            assertThat(scene.actions()).isEmpty();
        }

        @Test
        void keepsTheUnderstudyOfADeletedPodWhenTheApiStopsAnswering() {
            KeeperScene scene = KeeperScene.of(api().pods(leavingPod()));
            scene.actions();
            scene.api().withoutApi().understudyServes();
            scene.toUnderstudy();

            assertThat(scene.actionsAfter(Duration.ofSeconds(2))).isEmpty();
        }

        @Test
        void hasNothingToStartWithoutACheckpoint() {
            KeeperScene scene = KeeperScene.of(api().dead().withoutApi().saved(Optional.empty(), Optional.empty()));

            assertThat(scene.actions()).isEmpty();
            assertThat(scene.status(API_SERVER).condition()).isEqualTo(Condition.HELPLESS);
            assertThat(scene.status(API_SERVER).waitsFor()).contains("candidate none, last-good none");
        }

        @Test
        void startsACandidateOnlyWhenNothingWasEverProven() {
            assertThat(KeeperScene.of(api().dead().withoutApi().saved(Optional.of(NEW), Optional.empty()))
                            .actions())
                    .containsExactly(new StartUnderstudy(API_SERVER, NEW));
            assertThat(KeeperScene.of(api().dead().withoutApi().saved(Optional.of(NEW), Optional.of(OLD)))
                            .actions())
                    .containsExactly(START);
        }

        @Test
        void startsNothingFromADiskThatCannotBeRead() {
            SceneComponent part = api().dead().withoutApi();
            part.slots = Evidence.unknown("input/output error");
            KeeperScene scene = KeeperScene.of(part);

            assertThat(scene.actions()).isEmpty();
            assertThat(scene.status(API_SERVER).waitsFor()).contains("input/output error");
        }

        @Test
        void writesNothingOverAForeignManifest() {
            KeeperScene scene = KeeperScene.of(api().dead().manifest(new Foreign()));

            assertThat(scene.actions()).isEmpty();
            assertThat(scene.status(API_SERVER).condition()).isEqualTo(Condition.HELPLESS);
            assertThat(scene.status(API_SERVER).waitsFor()).contains("somebody else");
        }

        @Test
        void writesNothingWhereItCannotSeeWhatIsThere() {
            SceneComponent part = api().dead();
            part.manifest = Evidence.unknown("permission denied");
            KeeperScene scene = KeeperScene.of(part);

            assertThat(scene.actions()).isEmpty();
            assertThat(scene.status(API_SERVER).waitsFor()).contains("permission denied");
        }

        @Test
        void leavesAnUnderstudyThatStartsAlone() {
            PointFront toIt = new PointFront(Server.UNDERSTUDY);
            assertThat(KeeperScene.of(api().dead().manifest(new Ours(OLD))).actions())
                    .containsExactly(toIt);
            assertThat(KeeperScene.of(api().dead().manifest(new OfStart())).actions())
                    .containsExactly(toIt);
        }

        @Test
        void replacesAnUnderstudyOfAnotherRevisionOnlyWhenItIsOfNoUse() {
            assertThat(KeeperScene.of(api().dead().manifest(new Ours(NEW))).actions())
                    .contains(START);
            assertThat(KeeperScene.of(api().dead().manifest(new Ours(NEW)).understudy(new NotReady("")))
                            .actions())
                    .doesNotContain(START);
        }

        @Test
        void startsNothingOfAComponentThatBelongsElsewhere() {
            KeeperScene scene = KeeperScene.of(api().dead().belongs(false));
            scene.otherApiServers = Evidence.known(1);

            assertThat(scene.actions()).isEmpty();
        }

        /** A keeper that has just begun knows from an API server that the node has lost its label before it knows whose server that was. */
        @Test
        void startsNothingOfAComponentThatBelongsElsewhereWhileOthersAreNotKnown() {
            KeeperScene scene = KeeperScene.of(api().dead().belongs(false));
            scene.otherApiServers = Evidence.unknown("not looked at yet");

            assertThat(scene.actions()).isEmpty();
        }

        @Test
        void startsTheLastOneOfTheClusterAlthoughItsControllerIsGone() {
            assertThat(KeeperScene.of(api().dead().belongs(false)).actions()).containsExactly(START);
        }

        @Test
        void startsAnotherOneBesideThoseOfOtherNodes() {
            KeeperScene scene = KeeperScene.of(api().dead());
            scene.otherApiServers = Evidence.known(2);

            assertThat(scene.actions()).containsExactly(START);
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void startsAnOlderVersionOnlyWhenNoOtherAnswers(boolean known) {
            SceneComponent part = api().dead();
            part.outdated = known ? Evidence.known(true) : Evidence.unknown("no record");
            KeeperScene scene = KeeperScene.of(part);
            scene.otherApiServers = Evidence.known(1);

            assertThat(scene.actions()).isEmpty();
            scene.otherApiServers = Evidence.known(0);
            assertThat(scene.actions()).containsExactly(START);
        }

        @Test
        void startsNoOlderVersionBesideANewerThatStillAnswers() {
            SceneComponent part = api().pods(leavingPod());
            part.outdated = Evidence.known(true);

            assertThat(KeeperScene.of(part).actions()).isEmpty();
        }

        @Test
        void stopsTheUnderstudyWhenClientsHaveMovedAndTheDrainIsOver() {
            KeeperScene scene = KeeperScene.of(api().understudyServes());
            scene.principalReady().toUnderstudy().actions();
            scene.now = scene.now.plus(TIMES.steady());
            scene.actions();
            scene.front(new FrontState.ToPrincipal());

            assertThat(scene.actionsAfterNothingFor(TIMES.drain())).containsExactly(new StopUnderstudy(API_SERVER));
            assertThat(scene.reasons()).containsExactly(Reason.CLIENTS_HAVE_MOVED);
        }

        @Test
        void stopsAnUnderstudyOfAnAbandonedStart() {
            KeeperScene scene = KeeperScene.of(api().manifest(new OfStart()));

            assertThat(scene.actionsAfterNothingFor(TIMES.steady())).containsExactly(new StopUnderstudy(API_SERVER));
        }

        @Test
        void countsADrainOnlyWhileItSeesTheFront() {
            KeeperScene scene = KeeperScene.of(api().understudyServes());
            scene.actions();
            scene.now = scene.now.plus(TIMES.steady());
            scene.front(new FrontState.Unknown("nft failed"));
            assertThat(scene.actions()).isEmpty();
            scene.front(new FrontState.ToPrincipal());

            assertThat(scene.actionsAfterNothingFor(TIMES.drain())).containsExactly(new StopUnderstudy(API_SERVER));
        }

        @Test
        void countsSteadinessFromTheLastBadProbe() {
            KeeperScene scene = KeeperScene.of(api().understudyServes());
            scene.actions();
            scene.now = scene.now.plusSeconds(4);
            scene.principalReady();

            assertThat(scene.actionsAfterNothingFor(TIMES.steady())).containsExactly(new StopUnderstudy(API_SERVER));
        }

        @Test
        void keepsTheUnderstudyWhenAPrincipalThatDrainsItGoesAway() {
            KeeperScene scene = KeeperScene.of(api().understudyServes());
            scene.principalReady().actions();
            scene.now = scene.now.plus(TIMES.steady()).plus(TIMES.drain()).minusMillis(1);
            scene.actions();
            scene.api().dead();
            scene.now = scene.now.plusMillis(1);

            assertThat(scene.actions()).noneMatch(action -> action instanceof StopUnderstudy);
        }
    }

    @Test
    void readyPodIsAlive() {
        assertThat(readyPod().isAlive()).isTrue();
        assertThat(leavingPod().isAlive()).isFalse();
        assertThat(failedPod().isAlive()).isFalse();
    }

    /** A candidate that was put back with last-good still boots, and becomes ready before the kubelet has ended it: seed 10054. */
    @Test
    void whatWasInTheUnderstudysPlaceBeforeGetsNoTrafficWhenItBecomesReady() {
        SceneComponent part = new SceneComponent(Role.API_SERVER).dead().withoutApi();
        part.manifest(new Ours(NEW)).understudy(new NotReady("boots"));
        part.understudyRuns = Evidence.known(Running.RUNNING);
        KeeperScene scene = KeeperScene.of(part);
        scene.actions();
        scene.now = scene.now.plusSeconds(1);
        part.manifest(new Ours(OLD));
        part.understudyRuns = Evidence.known(Running.ABSENT);
        scene.actions();

        scene.now = scene.now.plusSeconds(2);
        part.understudy(new Health.Ready(scene.now));
        assertThat(scene.actions()).doesNotContain(new PointFront(Server.UNDERSTUDY));

        scene.now = scene.now.plusSeconds(2);
        part.understudyRuns = Evidence.known(Running.RUNNING);
        assertThat(scene.actions()).contains(new PointFront(Server.UNDERSTUDY));
    }
}
