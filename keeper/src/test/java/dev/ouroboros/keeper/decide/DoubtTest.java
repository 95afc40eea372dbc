package dev.ouroboros.keeper.decide;

import static dev.ouroboros.keeper.decide.KeeperScene.API_SERVER;
import static dev.ouroboros.keeper.decide.SceneComponent.NEW;
import static dev.ouroboros.keeper.decide.SceneComponent.OLD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Action.PointFront;
import dev.ouroboros.keeper.decide.Action.Promote;
import dev.ouroboros.keeper.decide.Action.RecordFailure;
import dev.ouroboros.keeper.decide.Action.ReleaseLease;
import dev.ouroboros.keeper.decide.Action.ReplacePrincipal;
import dev.ouroboros.keeper.decide.Action.ReportChange;
import dev.ouroboros.keeper.decide.Action.SaveCandidate;
import dev.ouroboros.keeper.decide.Action.StartUnderstudy;
import dev.ouroboros.keeper.decide.Action.StopUnderstudy;
import dev.ouroboros.keeper.decide.ChangeSeen.LeaseSeen;
import dev.ouroboros.keeper.decide.ChangeSeen.Made;
import dev.ouroboros.keeper.decide.ChangeSeen.Others;
import dev.ouroboros.keeper.decide.ChangeSeen.Target;
import dev.ouroboros.keeper.decide.Decision.Planned;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.Server;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A principal whose pod was lost and made anew from a template that nobody had proved: it is ready, and cannot list Secrets. */
final class DoubtTest {
    private static final Proof FAILED = new Proof.Failed("list of Secrets", "500 no matching key");
    private static final Proof PASSED = new Proof.Passed(KeeperScene.BEGIN);
    private static final KeeperSettings TIMES = KeeperSettings.DEFAULT;
    private static final Duration LONG = Duration.ofMinutes(10);

    private static KeeperScene asked(KeeperScene scene, Proof principal, Proof understudy) {
        scene.change = new ChangeSeen(
                scene.change.target(),
                scene.change.record(),
                scene.change.lease(),
                Evidence.known(principal),
                Evidence.known(understudy),
                "",
                0);
        return scene;
    }

    /** The pod of the new revision serves, and last-good of the old one stands in for it with all clients. */
    private static KeeperScene standsIn() {
        return KeeperScene.of(new SceneComponent(Role.API_SERVER).made(NEW).understudyServes())
                .toUnderstudy();
    }

    private static KeeperScene alone() {
        return KeeperScene.of(new SceneComponent(Role.API_SERVER).made(NEW));
    }

    /** What the DaemonSet asks for; the pod was made from template "new". */
    private static KeeperScene wanting(KeeperScene scene, Revision wanted, String hash, ChangeRecord record) {
        Target target = new Target(
                API_SERVER,
                new Made.Complete(wanted),
                Map.of(SceneComponent.UID, "new"),
                Optional.of(hash),
                false,
                "",
                Optional.empty(),
                Others.NONE);
        scene.change = new ChangeSeen(
                Evidence.known(Optional.of(target)),
                Evidence.known(record),
                Evidence.known(new LeaseSeen.Mine(false)),
                scene.change.principal(),
                scene.change.understudy(),
                "",
                0);
        return scene;
    }

    /** What the DaemonSet's annotation says of its change. */
    private static void reporting(KeeperScene scene, ChangeStep step) {
        Target target = scene.change.target().orElse(Optional.empty()).orElseThrow();
        scene.change = new ChangeSeen(
                Evidence.known(Optional.of(new Target(
                        target.component(),
                        target.made(),
                        target.madeFrom(),
                        target.current(),
                        target.paused(),
                        target.retry(),
                        Optional.of(ChangeReport.of(step, Optional.of(OLD), "")),
                        Others.NONE))),
                scene.change.record(),
                scene.change.lease(),
                scene.change.principal(),
                scene.change.understudy(),
                "",
                0);
    }

    @Test
    void getsNoClientsWhileLastGoodAnswersWhatItDoesNot() {
        KeeperScene scene = asked(standsIn(), FAILED, PASSED);

        scene.decide();
        assertThat(scene.actionsAfter(TIMES.steady())).isEmpty();
        assertThat(scene.actionsAfter(LONG)).isEmpty();
        assertThat(scene.status(API_SERVER).condition()).isEqualTo(Condition.UNDERSTUDY_SERVES);
        assertThat(scene.status(API_SERVER).waitsFor()).contains("list of Secrets: 500 no matching key");
    }

    /** Seed 28418 of the simulator: neither answered, so neither was replaced, and last-good was never tried. */
    @Test
    void isNotSharedByACandidateThatNeverProvedItself() {
        SceneComponent part = new SceneComponent(Role.API_SERVER)
                .made(NEW)
                .understudyServes()
                .manifest(new StaticManifest.Ours(NEW))
                .saved(Optional.of(NEW), Optional.of(OLD));
        KeeperScene scene = asked(KeeperScene.of(part), FAILED, FAILED);

        scene.decide();
        assertThat(scene.actionsAfter(TIMES.failover())).contains(new StartUnderstudy(API_SERVER, OLD));
    }

    @Test
    void getsItsClientsWhenItAnswers() {
        KeeperScene scene = asked(standsIn(), PASSED, PASSED);

        scene.decide();
        assertThat(scene.actionsAfter(TIMES.steady())).contains(new PointFront(Server.PRINCIPAL));
    }

    @Test
    void isNotKept() {
        KeeperScene scene = asked(alone(), FAILED, FAILED);

        scene.decide();
        assertThat(scene.actionsAfter(TIMES.steady())).noneMatch(SaveCandidate.class::isInstance);
        scene.api().saved(Optional.of(NEW), Optional.of(OLD));
        scene.decide();
        assertThat(scene.actionsAfter(LONG)).noneMatch(Promote.class::isInstance);
    }

    /** As when the keeper was away while the pod was replaced. */
    @Test
    void isRelievedByLastGood() {
        KeeperScene scene = asked(alone(), FAILED, new Proof.Failed("connect", "refused"));

        assertThat(scene.actionsAfterNothingFor(TIMES.failover()))
                .containsExactly(new StartUnderstudy(API_SERVER, OLD));
        Planned start = scene.decide().actions().getFirst();
        assertThat(start.reason()).isEqualTo(Reason.PRINCIPAL_FAILS);
        assertThat(start.evidence()).contains("list of Secrets: 500 no matching key");

        scene.api().understudyServes();
        asked(scene, FAILED, PASSED);
        assertThat(scene.actions()).containsExactly(new PointFront(Server.UNDERSTUDY));
    }

    /** Its failures may be of the same cause; and what is not known is no reason to begin anything. */
    @Test
    void isLeftAloneWhileTheApiTellsNothing() {
        KeeperScene scene = asked(
                KeeperScene.of(new SceneComponent(Role.API_SERVER).made(NEW).withoutApi()), FAILED, FAILED);

        assertThat(scene.actionsAfterNothingFor(LONG)).isEmpty();
    }

    @Test
    void getsNoClientsBackFromWhoAnswersAlthoughTheApiTellsNothing() {
        KeeperScene scene = asked(
                KeeperScene.of(new SceneComponent(Role.API_SERVER).withoutApi().understudyServes())
                        .toUnderstudy(),
                FAILED,
                PASSED);

        scene.decide();
        assertThat(scene.actionsAfter(LONG)).isEmpty();
    }

    @Test
    void isNotDoubtedWhenItIsLastGood() {
        KeeperScene scene = asked(KeeperScene.of(new SceneComponent(Role.API_SERVER)), FAILED, FAILED);

        assertThat(scene.actionsAfterNothingFor(LONG)).isEmpty();
    }

    @Test
    void isNotDoubtedWhenNothingBetterWasEverKept() {
        KeeperScene scene = asked(
                KeeperScene.of(new SceneComponent(Role.API_SERVER).saved(Optional.empty(), Optional.empty())),
                FAILED,
                FAILED);

        assertThat(scene.actionsAfterNothingFor(TIMES.steady())).containsExactly(new SaveCandidate(API_SERVER, OLD));
    }

    /** In a cluster's first minute; seed 20784 of the simulator. */
    @Test
    void getsNoClientsWhileTheCandidateAnswersWhatItDoesNotAndNothingIsLastGood() {
        Optional<Revision> none = Optional.empty();
        KeeperScene scene = asked(
                KeeperScene.of(new SceneComponent(Role.API_SERVER)
                                .made(NEW)
                                .saved(Optional.of(OLD), none)
                                .understudyServes())
                        .toUnderstudy(),
                FAILED,
                PASSED);

        scene.decide();
        assertThat(scene.actionsAfter(TIMES.steady())).isEmpty();
        assertThat(scene.actionsAfter(LONG)).isEmpty();
        assertThat(scene.status(API_SERVER).condition()).isEqualTo(Condition.UNDERSTUDY_SERVES);
    }

    /** A question that no server of this cluster answers well must keep nobody from changing it; nor may the two take turns for ever. */
    @Test
    void servesWhenLastGoodDoesNotAnswerEitherAndIsLeftAloneWhenItIsKept() {
        KeeperScene scene = asked(standsIn(), FAILED, FAILED);

        scene.decide();
        assertThat(scene.actionsAfter(TIMES.steady()))
                .containsExactly(new PointFront(Server.PRINCIPAL), new SaveCandidate(API_SERVER, NEW));
        scene.front(new FrontState.ToPrincipal()).api().saved(Optional.of(NEW), Optional.of(OLD));
        scene.decide();
        assertThat(scene.actionsAfter(TIMES.soak())).containsExactly(new Promote(API_SERVER, NEW));
        scene.api().saved(Optional.empty(), Optional.of(NEW));
        assertThat(scene.actions()).containsExactly(new StopUnderstudy(API_SERVER));
    }

    @Test
    void isToldAndWrittenDownWhenItDoesNotAnswerInTime() {
        KeeperScene scene = wanting(asked(standsIn(), FAILED, PASSED), NEW, "new", ChangeRecord.NONE);

        assertThat(scene.actions())
                .hasSize(1)
                .first()
                .isInstanceOfSatisfying(
                        ReportChange.class,
                        said -> assertThat(said.report().says(ChangeStep.REPLACING))
                                .isTrue());
        List<Action> atLast = scene.actionsAfter(TIMES.candidateDeadline());
        assertThat(atLast)
                .anySatisfy(action -> assertThat(action)
                        .isInstanceOfSatisfying(
                                RecordFailure.class,
                                failed -> assertThat(failed.failure())
                                        .isEqualTo(new ChangeRecord.Failure(
                                                NEW,
                                                "",
                                                "the principal: list of Secrets: 500 no matching key; it had 300 s, which"
                                                        + " the keeper's --candidate-deadline says"))));

        wanting(
                scene,
                NEW,
                "new",
                ChangeRecord.NONE.withFailure(new ChangeRecord.Failure(NEW, "", "cannot list Secrets")));
        assertThat(scene.actions())
                .contains(new ReportChange(
                        API_SERVER, ChangeReport.of(ChangeStep.FAILED, Optional.of(NEW), "cannot list Secrets"), ""));
    }

    @Test
    void isReplacedUnderLastGoodWhenTheTemplateIsMended() {
        KeeperScene scene = wanting(asked(standsIn(), FAILED, PASSED), OLD, "old", ChangeRecord.NONE);

        scene.decide();
        assertThat(scene.actionsAfter(TIMES.candidateDeadline()))
                .contains(new ReplacePrincipal(API_SERVER, SceneComponent.UID, "pod"));
    }

    /** Seed 53 of three simulated machines: the next one's server was replaced while this one had not come back. */
    @Test
    void keepsTheLeaseUntilWhatWasReplacedIsBack() {
        KeeperScene scene = wanting(asked(standsIn(), FAILED, PASSED), OLD, "old", ChangeRecord.NONE);
        scene.decide();

        scene.api().pods(SceneComponent.leavingPod()).principal(new Health.NotListening());
        assertThat(scene.actions()).doesNotContain(new ReleaseLease());

        scene.api().pods(SceneComponent.unreadyPod()).made(OLD);
        wanting(asked(scene, FAILED, PASSED), OLD, "new", ChangeRecord.NONE);
        reporting(scene, ChangeStep.SWITCHING);
        assertThat(scene.actions()).as("it boots").doesNotContain(new ReleaseLease());

        scene.api().pods(SceneComponent.readyPod()).made(OLD).principal(new Health.Ready(scene.now));
        wanting(asked(scene, PASSED, PASSED), OLD, "new", ChangeRecord.NONE);
        assertThat(scene.actions()).contains(new ReleaseLease());
    }
}
