package dev.ouroboros.keeper.decide;

import static dev.ouroboros.keeper.decide.SceneComponent.leavingPod;
import static dev.ouroboros.model.front.Server.PRINCIPAL;
import static dev.ouroboros.model.front.Server.UNDERSTUDY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Action.InstallFront;
import dev.ouroboros.keeper.decide.Action.PointFront;
import dev.ouroboros.keeper.decide.Action.StopUnderstudy;
import dev.ouroboros.keeper.decide.Observation.StartSeen;
import dev.ouroboros.keeper.decide.StaticManifest.Absent;
import dev.ouroboros.keeper.decide.StaticManifest.Ours;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.evidence.Health.NotListening;
import dev.ouroboros.model.evidence.Health.NotReady;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.FrontState.Damaged;
import dev.ouroboros.model.front.FrontState.Foreign;
import dev.ouroboros.model.front.FrontState.NotInstalled;
import dev.ouroboros.model.front.FrontState.ToPrincipal;
import dev.ouroboros.model.front.FrontState.ToUnderstudy;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FrontKeeperTest {
    private static final KeeperSettings TIMES = KeeperSettings.DEFAULT;
    private static final PointFront TO_PRINCIPAL = new PointFront(PRINCIPAL);
    private static final PointFront TO_UNDERSTUDY = new PointFront(UNDERSTUDY);

    /** An understudy serves; the principal is as given. */
    private static KeeperScene beside(Health principal) {
        return KeeperScene.of(
                new SceneComponent(Role.API_SERVER).understudyServes().principal(principal));
    }

    private static KeeperScene restarting() {
        SceneComponent part = new SceneComponent(Role.API_SERVER).dead().understudyServes();
        return KeeperScene.of(part);
    }

    @Test
    void leadsToTheUnderstudyAsSoonAsItAnswers() {
        KeeperScene scene = restarting();

        assertThat(scene.actions()).containsExactly(TO_UNDERSTUDY);
        assertThat(scene.reasons()).containsExactly(Reason.UNDERSTUDY_ANSWERS);
    }

    /** A keeper that is late could not lead clients away from a principal that begins to listen, and is not ready for long. */
    @Test
    void leadsToOneThatStartsWhenThePrincipalAnswersNobody() {
        SceneComponent part =
                new SceneComponent(Role.API_SERVER).dead().understudyServes().understudy(new NotListening());
        KeeperScene closed = KeeperScene.of(part);
        assertThat(closed.actions()).containsExactly(TO_UNDERSTUDY);
        assertThat(closed.reasons()).containsExactly(Reason.UNDERSTUDY_STARTS);
        assertThat(closed.toUnderstudy().actions()).isEmpty();

        part.understudy = Evidence.unknown("not probed");
        assertThat(KeeperScene.of(part).actions()).containsExactly(TO_UNDERSTUDY);
        assertThat(KeeperScene.of(part).front(new NotInstalled()).actions()).contains(TO_UNDERSTUDY);
        assertThat(KeeperScene.of(part).front(new Damaged("it has no rule")).actions())
                .contains(TO_UNDERSTUDY)
                .doesNotContain(TO_PRINCIPAL);
    }

    @Test
    void leadsToOneThatStartsWhenThePrincipalHangs() {
        SceneComponent part =
                new SceneComponent(Role.API_SERVER).understudyServes().understudy(new NotListening());
        KeeperScene scene =
                KeeperScene.of(part.principal(new NotReady("no answer within 3 s", Optional.of(KeeperScene.BEGIN))));
        assertThat(scene.actions()).doesNotContain(TO_UNDERSTUDY);
        assertThat(scene.actionsAfter(TIMES.failover())).contains(TO_UNDERSTUDY);
    }

    @Test
    void leadsToNobodyWhoDoesNotAnswerFromAPrincipalThatAnswersSomething() {
        SceneComponent part =
                new SceneComponent(Role.API_SERVER).understudyServes().understudy(new NotReady("starting"));
        KeeperScene slow = KeeperScene.of(part.principal(new NotReady("[-]poststarthook/rbac/bootstrap-roles failed")));
        assertThat(slow.actions()).isEmpty();
        assertThat(slow.actionsAfter(TIMES.failover())).doesNotContain(TO_UNDERSTUDY);
    }

    @Test
    void leadsToNobodyWhoIsNotEvenToBeStarted() {
        SceneComponent part = new SceneComponent(Role.API_SERVER).dead().manifest(new Absent());
        assertThat(KeeperScene.of(part).actions()).doesNotContain(TO_UNDERSTUDY);
    }

    /** Until the kubelet has ended it, what was there before still answers. */
    @Test
    void leadsToNobodyWhoseManifestWasReplacedAMomentAgo() {
        SceneComponent part = new SceneComponent(Role.API_SERVER)
                .understudyServes()
                .manifest(new Ours(SceneComponent.NEW))
                .saved(Optional.of(SceneComponent.NEW), Optional.of(SceneComponent.OLD));
        KeeperScene scene = KeeperScene.of(part);
        scene.actions();
        part.manifest(new Ours(SceneComponent.OLD)).pods(leavingPod());
        assertThat(scene.actions()).doesNotContain(TO_UNDERSTUDY);

        scene.now = scene.now.plusSeconds(5);
        part.understudy(new Health.Ready(scene.now));
        assertThat(scene.actions()).contains(TO_UNDERSTUDY);
    }

    /** Seed 32542 of the simulator: a candidate that was being ended became ready just when last-good had taken its place. */
    @Test
    void leadsToNobodyWhoseManifestWentAMomentAgo() {
        SceneComponent part = new SceneComponent(Role.API_SERVER)
                .understudyServes()
                .manifest(new Ours(SceneComponent.NEW))
                .saved(Optional.of(SceneComponent.NEW), Optional.of(SceneComponent.OLD));
        KeeperScene scene = KeeperScene.of(part);
        scene.actions();
        part.manifest(new Absent()).pods(leavingPod());
        assertThat(scene.actions()).doesNotContain(TO_UNDERSTUDY);
        part.manifest(new Ours(SceneComponent.OLD));
        part.understudyRuns = Evidence.known(Running.ABSENT);
        scene.actions();
        scene.now = scene.now.plusSeconds(2);
        part.understudy(new Health.Ready(scene.now));
        assertThat(scene.actions()).doesNotContain(TO_UNDERSTUDY);

        part.understudyRuns = Evidence.known(Running.RUNNING);
        assertThat(scene.actions()).contains(TO_UNDERSTUDY);

        part.understudyRuns = Evidence.unknown("seed 23779: the runtime does not answer");
        assertThat(scene.toUnderstudy().actions()).doesNotContain(TO_PRINCIPAL);
    }

    /** Nothing better is there. */
    @Test
    void leadsToWhatIsAboutToEndWhenThePrincipalIsGone() {
        SceneComponent part =
                new SceneComponent(Role.API_SERVER).dead().understudyServes().manifest(new Absent());
        assertThat(KeeperScene.of(part).actions()).contains(TO_UNDERSTUDY);
    }

    /** Seed 8773 of the simulator: start asks a principal for Secrets before it sends clients there; a keeper beside it did not. */
    @Test
    void leavesTheClientsOfAnUnfinishedPivotWhereTheyAre() {
        KeeperScene scene = beside(new Health.Ready(KeeperScene.BEGIN)).toUnderstudy();
        scene.start = Evidence.known(new StartSeen.Idle(true));
        scene.actions();
        assertThat(scene.actionsAfter(TIMES.pivotGrace().minusSeconds(1))).doesNotContain(TO_PRINCIPAL);

        assertThat(scene.front(new Damaged("it has no rule")).actions()).contains(TO_UNDERSTUDY);
        assertThat(scene.front(new NotInstalled()).actions()).contains(TO_UNDERSTUDY);
        scene.toUnderstudy().api().understudy(new NotListening());
        assertThat(scene.actions()).contains(TO_PRINCIPAL);
    }

    @ParameterizedTest
    @ValueSource(strings = {"no answer within 3 s", "[-]etcd failed: reason withheld"})
    void leadsAwayFromAHungPrincipal(String detail) {
        KeeperScene scene = beside(new NotReady(detail));

        assertThat(scene.actions()).containsExactly(TO_UNDERSTUDY);
        assertThat(scene.reasons()).containsExactly(Reason.UNDERSTUDY_ANSWERS);
    }

    @Test
    void leadsAwayFromAPrincipalThatIsBeingDeletedBeforeItEnds() {
        KeeperScene scene = KeeperScene.of(
                new SceneComponent(Role.API_SERVER).understudyServes().pods(leavingPod()));

        assertThat(scene.actions()).containsExactly(TO_UNDERSTUDY);
        assertThat(scene.reasons()).containsExactly(Reason.PRINCIPAL_IS_LEAVING);
    }

    @Test
    void leadsFromAServerThatAnswersOnlyToOneThatIsKnownToBeTrusted() {
        SceneComponent part =
                new SceneComponent(Role.API_SERVER).understudyServes().pods(leavingPod());
        part.slots = Evidence.unknown("cannot be read");
        assertThat(KeeperScene.of(part).actions()).doesNotContain(TO_UNDERSTUDY);
        part.manifest = Evidence.unknown("cannot be read");
        assertThat(KeeperScene.of(part).actions()).doesNotContain(TO_UNDERSTUDY);

        part.principal(new NotListening());
        assertThat(KeeperScene.of(part).actions()).contains(TO_UNDERSTUDY);
    }

    @Test
    void staysWhereItIsWhileThePrincipalIsUnknown() {
        SceneComponent part = new SceneComponent(Role.API_SERVER).understudyServes();
        part.principal = Evidence.unknown("not probed");
        KeeperScene scene = KeeperScene.of(part);

        assertThat(scene.actions()).isEmpty();
        assertThat(scene.toUnderstudy().actions()).isEmpty();
        assertThat(scene.front(new ToUnderstudy(Duration.ofSeconds(1))).actions())
                .containsExactly(TO_UNDERSTUDY);
    }

    @Test
    void renewsTheLeaseWhenLessThanSixTenthsAreLeft() {
        KeeperScene scene = restarting();

        assertThat(scene.front(new ToUnderstudy(Duration.ofMinutes(3))).actions())
                .isEmpty();
        assertThat(scene.front(new ToUnderstudy(Duration.ofSeconds(179))).actions())
                .containsExactly(TO_UNDERSTUDY);
        assertThat(scene.reasons()).containsExactly(Reason.LEASE_RUNS_OUT);
    }

    @Test
    void renewsWhileThePrincipalHangs() {
        KeeperScene scene = beside(new NotReady("hung")).front(new ToUnderstudy(Duration.ofSeconds(5)));

        assertThat(scene.actions()).containsExactly(TO_UNDERSTUDY);
    }

    @Test
    void leadsBackToASteadyPrincipal() {
        KeeperScene scene = beside(new Health.Ready(KeeperScene.BEGIN)).toUnderstudy();

        assertThat(scene.actionsAfterNothingFor(TIMES.steady())).containsExactly(TO_PRINCIPAL);
        assertThat(scene.reasons()).containsExactly(Reason.PRINCIPAL_IS_BACK);
    }

    @Test
    void leadsBackAtOnceWhenTheUnderstudyFails() {
        KeeperScene scene = beside(new Health.Ready(KeeperScene.BEGIN)).toUnderstudy();
        scene.api().understudy(new NotListening());
        assertThat(scene.actions()).containsExactly(TO_PRINCIPAL);
        assertThat(scene.reasons()).containsExactly(Reason.UNDERSTUDY_FAILS);

        scene.api().understudy(new NotReady("hung"));
        assertThat(scene.actions()).containsExactly(TO_PRINCIPAL);
    }

    @Test
    void leadsBackToAPrincipalThatIsBeingDeletedWhenTheUnderstudyFails() {
        KeeperScene scene = KeeperScene.of(new SceneComponent(Role.API_SERVER).pods(leavingPod()))
                .toUnderstudy();

        assertThat(scene.actions()).contains(TO_PRINCIPAL);
    }

    @Test
    void letsTheLeaseRunOutWhenNeitherAnswers() {
        KeeperScene scene = KeeperScene.of(new SceneComponent(Role.API_SERVER)
                        .dead()
                        .manifest(new StaticManifest.Ours(SceneComponent.OLD)))
                .front(new ToUnderstudy(Duration.ofSeconds(1)));

        assertThat(scene.actions()).isEmpty();
    }

    @Test
    void returnsToTheUnderstudyWhenThePrincipalGoesAwayInTheDrain() {
        KeeperScene scene = beside(new Health.Ready(KeeperScene.BEGIN)).toUnderstudy();
        scene.actions();
        scene.now = scene.now.plus(TIMES.steady());
        assertThat(scene.actions()).containsExactly(TO_PRINCIPAL);
        scene.front(new ToPrincipal());
        assertThat(scene.actions()).isEmpty();
        scene.api().principal(new NotReady("hung"));

        assertThat(scene.actionsAfter(TIMES.drain())).containsExactly(TO_UNDERSTUDY);
    }

    @Test
    void stopsTheUnderstudyOnlyWhenTheFrontIsSeenToLeadAway() {
        KeeperScene scene = beside(new Health.Ready(KeeperScene.BEGIN)).toUnderstudy();
        scene.actions();

        assertThat(scene.actionsAfter(Duration.ofMinutes(1))).containsExactly(TO_PRINCIPAL);
        assertThat(scene.actionsAfter(Duration.ofMinutes(1))).containsExactly(TO_PRINCIPAL);
        scene.front(new ToPrincipal()).actions();
        assertThat(scene.actionsAfter(Duration.ofMinutes(1)))
                .containsExactly(new StopUnderstudy(KeeperScene.API_SERVER));
    }

    @Test
    void installsTheTableWhenItIsMissing() {
        KeeperScene scene = KeeperScene.of(new SceneComponent(Role.API_SERVER)).front(new NotInstalled());

        assertThat(scene.actions()).containsExactly(new InstallFront());
        assertThat(scene.reasons()).containsExactly(Reason.FRONT_IS_MISSING);
        assertThat(new KeeperScene().front(new NotInstalled()).actions()).containsExactly(new InstallFront());
    }

    @Test
    void leadsToTheUnderstudyAgainWhenTheTableWasFlushed() {
        assertThat(restarting().front(new NotInstalled()).actions()).containsExactly(new InstallFront(), TO_UNDERSTUDY);
    }

    @Test
    void mendsADamagedTableAndPointsItAgain() {
        assertThat(restarting().front(new Damaged("rules")).actions())
                .containsExactly(new InstallFront(), TO_UNDERSTUDY);
        assertThat(beside(new Health.Ready(KeeperScene.BEGIN))
                        .front(new Damaged("rules"))
                        .actions())
                .containsExactly(new InstallFront(), TO_PRINCIPAL);
        assertThat(new KeeperScene().front(new Damaged("rules")).actions())
                .containsExactly(new InstallFront(), TO_PRINCIPAL);
        SceneComponent neither = new SceneComponent(Role.API_SERVER).dead().manifest(new Absent());
        assertThat(KeeperScene.of(neither).front(new Damaged("rules")).actions())
                .containsSubsequence(new InstallFront(), TO_PRINCIPAL);
    }

    @Test
    void leavesAForeignOrUnreadableTableAlone() {
        assertThat(restarting().front(new Foreign("firewalld")).actions()).isEmpty();
        assertThat(restarting().front(new FrontState.Unknown("nft failed")).actions())
                .isEmpty();
        KeeperScene scene = restarting();
        scene.front = Evidence.unknown("not listed yet");
        assertThat(scene.actions()).isEmpty();
    }

    @Test
    void keepsTheFrontThatAKilledStartLeft() {
        KeeperScene scene = restarting().front(new ToUnderstudy(Duration.ofSeconds(3)));
        scene.api().manifest(new StaticManifest.OfStart());
        scene.start = Evidence.known(new StartSeen.Idle(true));

        assertThat(scene.actions()).containsExactly(TO_UNDERSTUDY);
        scene.start = Evidence.known(new StartSeen.AtWork());
        assertThat(scene.actions()).isEmpty();
    }

    @Test
    void standsBeforeTheOneOfTwoApiServersThatHasAnUnderstudy() {
        KeeperScene scene = restarting();
        scene.with(new ComponentName("kube-system", "a-renamed"), new SceneComponent(Role.API_SERVER));

        assertThat(scene.actions()).contains(TO_UNDERSTUDY);
    }
}
