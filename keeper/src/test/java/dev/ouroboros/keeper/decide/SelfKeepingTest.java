package dev.ouroboros.keeper.decide;

import static dev.ouroboros.keeper.decide.KeeperScene.KEEPER;
import static dev.ouroboros.keeper.decide.SceneComponent.NEW;
import static dev.ouroboros.keeper.decide.SceneComponent.OLD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Action.AdmitSuccessor;
import dev.ouroboros.keeper.decide.Action.GiveWay;
import dev.ouroboros.keeper.decide.Action.StartUnderstudy;
import dev.ouroboros.keeper.decide.Observation.StartSeen;
import dev.ouroboros.keeper.decide.StaticManifest.Foreign;
import dev.ouroboros.keeper.decide.StaticManifest.OfStart;
import dev.ouroboros.keeper.decide.StaticManifest.Ours;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.front.FrontState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class SelfKeepingTest {
    private static final KeeperSettings TIMES = KeeperSettings.DEFAULT;
    private final SceneComponent part = new SceneComponent(Role.KEEPER).manifest(new Ours(OLD));
    private final KeeperScene scene = KeeperScene.beside(KEEPER, part);

    @Test
    void restsWithAStaticCopyOfLastGood() {
        scene.actions();

        assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
        assertThat(scene.status(KEEPER).condition()).isEqualTo(Condition.STANDING_BY);
    }

    @Test
    void writesTheStaticCopyThatIsMissing() {
        part.manifest(new StaticManifest.Absent());

        assertThat(scene.actions()).containsExactly(new StartUnderstudy(KEEPER, OLD));
        assertThat(scene.reasons()).containsExactly(Reason.STATIC_COPY_IS_NEEDED);
    }

    @Test
    void beginsWithACandidateBecauseItIsBetterThanNothing() {
        part.manifest(new StaticManifest.Absent()).saved(Optional.of(NEW), Optional.empty());
        assertThat(scene.actions()).containsExactly(new StartUnderstudy(KEEPER, NEW));
        part.saved(Optional.empty(), Optional.empty());
        assertThat(scene.actions()).isEmpty();
    }

    @Test
    void renewsTheStaticCopyWhenAnotherRevisionWasProven() {
        part.manifest(new Ours(NEW));

        assertThat(scene.actions()).containsExactly(new StartUnderstudy(KEEPER, OLD));
    }

    @Test
    void doesNotEndItselfByRenewingItself() {
        part.manifest(new Ours(NEW)).pods(SceneComponent.leavingPod());
        scene.staticCopy = true;
        scene.actions();

        assertThat(scene.actionsAfter(Duration.ofMinutes(1))).isEmpty();
    }

    @Test
    void writesOverNothingForeignOrUnseen() {
        part.manifest(new Foreign());
        assertThat(scene.actions()).isEmpty();
        part.manifest(new OfStart());
        assertThat(scene.actions()).isEmpty();
        part.manifest = Evidence.unknown("");
        assertThat(scene.actions()).isEmpty();
    }

    @Test
    void writesNoCopyOfAKeeperThatIsUnwanted() {
        part.manifest(new StaticManifest.Absent());
        scene.keeperWanted = Evidence.known(false);
        assertThat(scene.actions()).isEmpty();
        scene.keeperWanted = Evidence.unknown("no API");

        assertThat(scene.actions()).hasSize(1);
    }

    @Test
    void isNoComponentThatFailsOver() {
        part.dead().pods();
        scene.actions();

        assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
    }

    @Test
    void givesWayToApiManagedPodsThatRunSteadily() {
        scene.staticCopy = true;

        assertThat(scene.actionsAfterNothingFor(TIMES.steady())).containsExactly(new GiveWay());
        assertThat(scene.reasons()).containsExactly(Reason.SUCCESSOR_DECIDES);
    }

    @Test
    void admitsItsSuccessorAndEndsOnlyWhenThatOneSaysThatItDecides() {
        scene.staticCopy = true;
        scene.successor = Evidence.known(Successor.WAITS);
        assertThat(scene.actionsAfterNothingFor(TIMES.steady())).containsExactly(new AdmitSuccessor());
        assertThat(scene.reasons()).containsExactly(Reason.KEEPER_POD_WAITS);

        for (Evidence<Successor> notYet :
                List.<Evidence<Successor>>of(Evidence.known(Successor.ADMITTED), Evidence.unknown("cannot be asked"))) {
            scene.successor = notYet;
            assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
        }

        scene.successor = Evidence.known(Successor.DECIDES);
        assertThat(scene.actions()).containsExactly(new GiveWay());
    }

    @Test
    void givesWayToAPodThatIsNotReadyBecauseItWaits() {
        scene.staticCopy = true;
        part.pods(SceneComponent.unreadyPod());

        assertThat(scene.actionsAfterNothingFor(TIMES.steady())).containsExactly(new GiveWay());
    }

    @ParameterizedTest
    @CsvSource({"1,10", "3,40", "6,320", "7,320", "1000,320"})
    void trustsAPodThatEndedOftenLater(int restarts, long seconds) {
        scene.staticCopy = true;
        part.pods(SceneComponent.restartedPod(restarts), SceneComponent.failedPod());

        assertThat(scene.actionsAfterNothingFor(Duration.ofSeconds(seconds))).containsExactly(new GiveWay());
    }

    @ParameterizedTest
    @EnumSource(Doubt.class)
    void givesWayToNobodyWhoIsNotKnownToRun(Doubt doubt) {
        scene.staticCopy = true;
        switch (doubt) {
            case RUNTIME_HANGS -> part.principalRuns = Evidence.unknown("the runtime hangs");
            case NOT_RUNNING -> part.principalRuns = Evidence.known(Running.STOPPED);
            case NO_API -> part.pods = Evidence.unknown("no API");
            case BEING_DELETED -> part.pods(SceneComponent.leavingPod());
        }
        scene.actions();

        assertThat(scene.actionsAfter(Duration.ofMinutes(1))).isEmpty();
    }

    enum Doubt {
        RUNTIME_HANGS,
        NOT_RUNNING,
        NO_API,
        BEING_DELETED
    }

    @Test
    void staysWhileClientsAreLedToTheUnderstudyAndWhileThatIsNotKnown() {
        scene.staticCopy = true;
        for (Evidence<FrontState> front : List.<Evidence<FrontState>>of(
                Evidence.known(new FrontState.ToUnderstudy(TIMES.lease())), Evidence.unknown("nft hangs"))) {
            scene.front = front;
            scene.actions();

            assertThat(scene.actionsAfter(Duration.ofHours(1))).doesNotContain(new GiveWay(), new AdmitSuccessor());
        }
        assertThat(scene.front(new FrontState.ToPrincipal()).actions()).contains(new GiveWay());
    }

    @Test
    void givesWayAlsoWhileSomebodyElseIsAtWork() {
        scene.staticCopy = true;
        scene.start = Evidence.known(new StartSeen.AtWork());

        assertThat(scene.actionsAfterNothingFor(TIMES.steady())).containsExactly(new GiveWay());
    }

    @Test
    void theApiManagedPodGivesWayToNobody() {
        scene.actions();

        assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
    }
}
