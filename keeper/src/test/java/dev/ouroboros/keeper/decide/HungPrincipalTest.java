package dev.ouroboros.keeper.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Action.CutOff;
import dev.ouroboros.keeper.decide.Action.LetThrough;
import dev.ouroboros.keeper.decide.Action.PointFront;
import dev.ouroboros.keeper.decide.Action.StartUnderstudy;
import dev.ouroboros.keeper.decide.StaticManifest.Ours;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.evidence.Health.NotListening;
import dev.ouroboros.model.evidence.Health.NotReady;
import dev.ouroboros.model.front.FrontState.NotInstalled;
import dev.ouroboros.model.front.FrontState.ToPrincipal;
import dev.ouroboros.model.front.FrontState.ToUnderstudy;
import dev.ouroboros.model.front.Server;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class HungPrincipalTest {
    private static final KeeperSettings TIMES = KeeperSettings.DEFAULT;
    private static final CutOff CUT_OFF = new CutOff(KeeperScene.API_SERVER);

    private static Health silent() {
        return new NotReady("says nothing", Optional.of(KeeperScene.BEGIN));
    }

    private static KeeperScene hangs() {
        return KeeperScene.of(new SceneComponent(Role.API_SERVER).principal(silent()));
    }

    private static KeeperScene cutOff(Health principal) {
        SceneComponent part =
                new SceneComponent(Role.API_SERVER).principal(principal).manifest(new Ours(SceneComponent.OLD));
        return KeeperScene.of(part).front(new ToPrincipal(Optional.of(Duration.ofSeconds(20))));
    }

    @Test
    void isCutOffBeforeTheUnderstudyStarts() {
        KeeperScene scene = hangs();

        assertThat(scene.actionsAfterNothingFor(TIMES.failover()))
                .containsExactly(CUT_OFF, new StartUnderstudy(KeeperScene.API_SERVER, SceneComponent.OLD));
        assertThat(scene.reasons()).containsExactly(Reason.PRINCIPAL_IS_SILENT, Reason.PRINCIPAL_FAILS);
    }

    @Test
    void countsFromTheFirstQuestionThatWasNotAnswered() {
        KeeperScene scene = hangs();
        scene.now = KeeperScene.BEGIN.plus(TIMES.failover());

        assertThat(scene.actions())
                .containsExactly(CUT_OFF, new StartUnderstudy(KeeperScene.API_SERVER, SceneComponent.OLD));
    }

    @Test
    void isNeverCutOffWhenItSaysAnything() {
        for (Health health : List.of(
                new NotReady("[-]poststarthook failed"), new NotReady("handshake refused"), new NotListening())) {
            KeeperScene scene = KeeperScene.of(new SceneComponent(Role.API_SERVER).principal(health));
            scene.actions();
            assertThat(scene.actionsAfter(Duration.ofHours(1)))
                    .containsExactly(new StartUnderstudy(KeeperScene.API_SERVER, SceneComponent.OLD));
        }
    }

    @Test
    void keepsItsClientsWhenNothingCouldServeThem() {
        SceneComponent part = new SceneComponent(Role.API_SERVER).principal(silent());
        part.slots = Evidence.known(Slots.NONE);
        KeeperScene scene = KeeperScene.of(part);
        scene.actions();

        assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
    }

    @Test
    void isCutOffWithAnUnderstudyThatIsThereAlready() {
        KeeperScene scene = hangs();
        scene.api().manifest(new Ours(SceneComponent.OLD)).understudy(new NotReady("starting"));

        assertThat(scene.actionsAfterNothingFor(TIMES.failover()))
                .containsExactlyInAnyOrder(CUT_OFF, new PointFront(Server.UNDERSTUDY));
    }

    @Test
    void staysCutOffByALeaseThatIsRenewed() {
        KeeperScene scene = cutOff(silent());
        scene.now = KeeperScene.BEGIN.plusSeconds(60);
        assertThat(scene.actions()).doesNotContain(CUT_OFF);

        scene.front(new ToPrincipal(Optional.of(Duration.ofSeconds(11))));
        assertThat(scene.actions()).contains(CUT_OFF);
        assertThat(scene.reasons()).contains(Reason.LEASE_RUNS_OUT);

        scene.api().understudyServes();
        scene.front(new ToUnderstudy(TIMES.lease(), Optional.of(Duration.ofSeconds(11))));
        assertThat(scene.actions()).containsExactly(CUT_OFF);
    }

    @Test
    void isLetThroughAsSoonAsItSaysAnything() {
        for (Health health :
                List.of(new NotReady("[-]etcd failed"), new NotListening(), new Health.Ready(KeeperScene.BEGIN))) {
            KeeperScene scene = cutOff(health);

            assertThat(scene.actions()).contains(new LetThrough());
            assertThat(scene.reasons()).contains(Reason.PRINCIPAL_IS_HEARD);
        }
    }

    @Test
    void isLeftToItsLeaseWhileNobodyKnows() {
        KeeperScene scene = cutOff(silent());
        scene.api().principal = Evidence.unknown("not probed");

        assertThat(scene.actionsAfter(Duration.ofHours(1))).doesNotContain(new LetThrough());
    }

    @Test
    void isNotCutOffByATableThatIsNotThere() {
        KeeperScene scene = hangs().front(new NotInstalled());
        scene.now = KeeperScene.BEGIN.plusSeconds(60);

        assertThat(scene.actions()).contains(new Action.InstallFront()).doesNotContain(CUT_OFF);
    }
}
