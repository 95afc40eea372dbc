package dev.ouroboros.keeper.decide;

import static dev.ouroboros.keeper.decide.KeeperScene.CONTROLLER_MANAGER;
import static dev.ouroboros.keeper.decide.SceneComponent.NEW;
import static dev.ouroboros.keeper.decide.SceneComponent.OLD;
import static dev.ouroboros.keeper.decide.SceneComponent.UID;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Action.DropCandidate;
import dev.ouroboros.keeper.decide.Action.Promote;
import dev.ouroboros.keeper.decide.Action.ReportRefusal;
import dev.ouroboros.keeper.decide.Action.SaveCandidate;
import dev.ouroboros.keeper.decide.Observation.StartSeen;
import dev.ouroboros.keeper.decide.StaticManifest.Absent;
import dev.ouroboros.keeper.decide.StaticManifest.Ours;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health.NotReady;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class CheckpointsTest {
    private static final KeeperSettings TIMES = KeeperSettings.DEFAULT;
    private static final Optional<Revision> NONE = Optional.empty();
    private static final SaveCandidate SAVE = new SaveCandidate(CONTROLLER_MANAGER, NEW);
    private static final Promote PROMOTE = new Promote(CONTROLLER_MANAGER, NEW);

    private final SceneComponent part = new SceneComponent(Role.CONTROLLER_MANAGER).made(NEW);
    private final KeeperScene scene = KeeperScene.beside(CONTROLLER_MANAGER, part);

    private static Material refused(String what) {
        return new Material.Refused(UID, List.of(new Problem(ErrorCode.TIMEOUT, "spec", what, "", "try again")));
    }

    private String waitsFor() {
        return scene.status(CONTROLLER_MANAGER).waitsFor();
    }

    @Test
    void savesAPodThatDiffersWhenItIsSteady() {
        assertThat(scene.actionsAfterNothingFor(TIMES.steady())).containsExactly(SAVE);
        assertThat(scene.reasons()).containsExactly(Reason.POD_IS_HEALTHY);
        assertThat(waitsFor()).isEqualTo("its checkpoint to be saved");
    }

    @Test
    void asksUntilItIsSaved() {
        scene.actions();

        assertThat(scene.actionsAfter(TIMES.steady())).containsExactly(SAVE);
        assertThat(scene.actionsAfter(TIMES.soak())).containsExactly(SAVE);
    }

    @Test
    void promotesWhatStayedHealthyForTheSoakTime() {
        part.saved(Optional.of(NEW), Optional.of(OLD));

        assertThat(scene.actionsAfterNothingFor(TIMES.soak())).containsExactly(PROMOTE);
        assertThat(scene.reasons()).containsExactly(Reason.POD_STAYED_HEALTHY);
    }

    /** Its process has read its files: what somebody writes into a Secret under it may be what no process can begin with. */
    @Test
    void whatWasChangedUnderAPodIsNotProvenBeforeThePodBeginsAnew() {
        part.made(OLD).saved(NONE, Optional.of(OLD));
        scene.actionsAfterNothingFor(TIMES.soak());
        part.made(NEW).saved(Optional.of(NEW), Optional.of(OLD));

        assertThat(scene.actionsAfterNothingFor(TIMES.soak())).isEmpty();
        assertThat(waitsFor()).contains("its pod to begin anew");

        part.pods(SceneComponent.restartedPod(1));
        assertThat(scene.actionsAfterNothingFor(TIMES.soak())).containsExactly(PROMOTE);
    }

    /** An object that may change is read every ten seconds. */
    @Test
    void whatIsReadAMomentAfterThePodWasSeenIsWhatItBeganWith() {
        part.made(OLD).saved(NONE, Optional.of(OLD));
        scene.actions();
        scene.now = scene.now.plusSeconds(10);
        part.made(NEW).saved(Optional.of(NEW), Optional.of(OLD));

        assertThat(scene.actionsAfterNothingFor(TIMES.soak())).containsExactly(PROMOTE);
    }

    @Test
    void promotesTheFirstOneEverToo() {
        part.saved(Optional.of(NEW), NONE);

        assertThat(scene.actionsAfterNothingFor(TIMES.soak())).containsExactly(PROMOTE);
        assertThat(waitsFor()).contains("healthy for 60 s of 60 s");
    }

    @Test
    void doesNothingForTheSameRevision() {
        part.made(OLD);
        scene.actions();

        assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
        assertThat(waitsFor()).isEmpty();
    }

    /** Seed 17066 of the simulator: nobody knew any more that the understudy was of what never proved itself, and it stayed for ever. */
    @Test
    void keepsACandidateUntilItsUnderstudyIsKnownToBeGone() {
        DropCandidate drop = new DropCandidate(CONTROLLER_MANAGER, NEW);
        part.made(OLD).saved(Optional.of(NEW), Optional.of(OLD)).manifest(new Ours(NEW));
        assertThat(scene.actions()).doesNotContain(drop);
        part.manifest = Evidence.unknown("cannot be read");
        assertThat(scene.actions()).doesNotContain(drop);

        part.manifest(new Absent());
        assertThat(scene.actions()).containsExactly(drop);
    }

    @Test
    void savesNothingOverACandidateThatHasAnUnderstudy() {
        Revision other = new Revision("cccccccc");
        part.made(other).saved(Optional.of(NEW), Optional.of(OLD));
        part.manifest = Evidence.unknown("cannot be read");
        assertThat(scene.actionsAfterNothingFor(TIMES.steady())).isEmpty();
        assertThat(waitsFor()).isEqualTo("the static pod that was made from its candidate to be gone or replaced");

        part.manifest(new Absent()).saved(NONE, Optional.of(OLD));
        assertThat(scene.actions()).containsExactly(new SaveCandidate(CONTROLLER_MANAGER, other));
    }

    @Test
    void countsAnewWhenThePodRestarts() {
        part.saved(Optional.of(NEW), Optional.of(OLD));
        scene.actions();
        scene.now = scene.now.plusSeconds(59);
        part.pods(SceneComponent.restartedPod(1));

        assertThat(scene.actionsAfterNothingFor(TIMES.soak())).containsExactly(PROMOTE);
    }

    @Test
    void neverPromotesAPodThatKeepsCrashing() {
        part.saved(Optional.of(NEW), Optional.of(OLD));
        for (int restarts = 0; restarts < 100; restarts++) {
            part.pods(SceneComponent.restartedPod(restarts));
            assertThat(scene.actionsAfter(TIMES.soak().minusMillis(1))).isEmpty();
        }
    }

    @Test
    void neverSavesAPodThatIsReadyOnlyForMoments() {
        for (int restarts = 0; restarts < 100; restarts++) {
            part.pods(SceneComponent.restartedPod(restarts));
            assertThat(scene.actionsAfter(TIMES.steady().minusMillis(1))).isEmpty();
        }
    }

    @Test
    void countsAnewWhenWhatItRefersToChanges() {
        part.saved(Optional.of(NEW), Optional.of(OLD));
        scene.actions();
        scene.now = scene.now.plusSeconds(59);
        part.made(new Revision("cccccccc"));
        assertThat(scene.actions()).containsExactly(new DropCandidate(CONTROLLER_MANAGER, NEW));
        part.made(NEW);

        assertThat(scene.actionsAfterNothingFor(TIMES.soak())).containsExactly(PROMOTE);
    }

    @Test
    void countsAnewForAnotherPod() {
        part.saved(Optional.of(NEW), Optional.of(OLD));
        scene.actions();
        scene.now = scene.now.plusSeconds(59);
        part.pods(new PrincipalPod("uid-2", "pod", true, false, 0, false));
        part.material = Evidence.known(new Material.Complete("uid-2", NEW));

        assertThat(scene.actionsAfterNothingFor(TIMES.soak())).containsExactly(PROMOTE);
    }

    private void leadsElsewhere(boolean ready) {
        scene.otherApiServers = Evidence.known(1);
        part.pods();
        part.leading = Evidence.known(new Leading.Elsewhere());
        part.material = Evidence.known(
                new Material.OnAnotherNode(new PrincipalPod("uid-there", "pod-there", ready, false, 0, false), NEW));
        part.saved(NONE, Optional.of(OLD));
    }

    @Test
    void keepsUpWithWhatLeadsOnAnotherNode() {
        leadsElsewhere(true);

        assertThat(scene.actionsAfterNothingFor(TIMES.steady())).containsExactly(SAVE);
        part.saved(Optional.of(NEW), Optional.of(OLD));
        assertThat(scene.actionsAfter(TIMES.soak())).containsExactly(PROMOTE);
        part.saved(NONE, Optional.of(NEW));
        assertThat(scene.actionsAfter(TIMES.soak())).isEmpty();
        assertThat(waitsFor()).isEmpty();
    }

    @Test
    void doesNotKeepUpWithWhatIsNotReadyThere() {
        leadsElsewhere(false);

        assertThat(scene.actions()).isEmpty();
        assertThat(scene.actionsAfter(TIMES.soak())).isEmpty();
    }

    @Test
    void doesNotKeepUpWhileNobodyIsSeenToLeadThere() {
        leadsElsewhere(true);
        part.leading = Evidence.known(new Leading.Nobody());
        scene.actions();

        assertThat(scene.actionsAfter(TIMES.steady())).doesNotContain(SAVE);
    }

    @Test
    void makesNoFirstCheckpointOfWhatLeadsOnAnotherNode() {
        leadsElsewhere(true);
        part.saved(NONE, NONE);
        scene.actions();

        assertThat(scene.actionsAfter(TIMES.soak())).isEmpty();
    }

    @Test
    void keepsACandidateOfAnotherNodeWhileItsPodIsNotKnown() {
        leadsElsewhere(true);
        part.saved(Optional.of(NEW), Optional.of(OLD));
        part.material = Evidence.unknown("this node has no image it:2");
        scene.actions();

        assertThat(scene.actions()).isEmpty();
        assertThat(waitsFor()).contains("this node has no image it:2");
    }

    @Test
    void takesThePlaceOfAnOnlyCandidate() {
        leadsElsewhere(true);
        part.saved(Optional.of(OLD), NONE);

        assertThat(scene.actionsAfterNothingFor(TIMES.steady())).containsExactly(SAVE);
    }

    @Test
    void keepsACandidateOfAnotherNodeWhileItIsNotKnownWhoLeads() {
        leadsElsewhere(true);
        part.saved(Optional.of(NEW), Optional.of(OLD));
        part.leading = Evidence.unknown("not read");
        scene.actions();

        assertThat(scene.actions()).doesNotContain(new DropCandidate(CONTROLLER_MANAGER, NEW));
    }

    @ParameterizedTest
    @EnumSource(Doubt.class)
    void countsAnewAfterEveryDoubt(Doubt doubt) {
        part.saved(Optional.of(NEW), Optional.of(OLD));
        scene.actions();
        scene.now = scene.now.plusSeconds(59);
        SceneComponent doubtful =
                new SceneComponent(Role.CONTROLLER_MANAGER).made(NEW).saved(Optional.of(NEW), Optional.of(OLD));
        doubt.cast(doubtful);
        scene.with(CONTROLLER_MANAGER, doubtful);
        assertThat(scene.actions()).isEmpty();
        scene.with(CONTROLLER_MANAGER, part);

        assertThat(scene.actionsAfterNothingFor(TIMES.soak())).containsExactly(PROMOTE);
    }

    enum Doubt {
        NOT_READY,
        NOT_THE_ONE_IT_WAS_MADE_FROM,
        NO_PODS,
        NOT_RUNNING,
        NO_RUNTIME,
        NO_MATERIAL;

        void cast(SceneComponent part) {
            switch (this) {
                case NOT_READY -> part.pods(SceneComponent.unreadyPod());
                case NOT_THE_ONE_IT_WAS_MADE_FROM -> part.pods(new PrincipalPod("uid-2", "pod", true, false, 0, false));
                case NO_PODS -> part.pods = Evidence.unknown("");
                case NOT_RUNNING -> part.principalRuns = Evidence.known(Running.STOPPED);
                case NO_RUNTIME -> part.principalRuns = Evidence.unknown("");
                case NO_MATERIAL -> part.material = Evidence.unknown("");
            }
        }
    }

    @Test
    void promotesNoApiServerThatItsOwnProbeDoubts() {
        SceneComponent server = new SceneComponent(Role.API_SERVER).made(NEW).saved(Optional.of(NEW), Optional.of(OLD));
        KeeperScene alone = KeeperScene.of(server);
        alone.actions();
        alone.now = alone.now.plusSeconds(59);
        server.principal(new NotReady("[-]etcd failed"));
        alone.actions();
        alone.principalReady();

        assertThat(alone.actionsAfterNothingFor(TIMES.soak()))
                .containsExactly(new Promote(KeeperScene.API_SERVER, NEW));
    }

    @Test
    void savesNothingOfAPodThatIsBeingDeleted() {
        part.pods(SceneComponent.leavingPod(), new PrincipalPod("uid-2", "pod", true, false, 0, false));
        scene.actions();

        assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
    }

    @Test
    void dropsACandidateWhosePodIsGone() {
        part.saved(Optional.of(NEW), Optional.of(OLD)).pods();
        part.material = Evidence.unknown("no pod");

        assertThat(scene.actions()).containsExactly(new DropCandidate(CONTROLLER_MANAGER, NEW));
        assertThat(scene.reasons()).containsExactly(Reason.CANDIDATE_IS_OLD);
    }

    @Test
    void dropsACandidateWhenTheChangeWasUndone() {
        part.saved(Optional.of(NEW), Optional.of(OLD)).made(OLD);

        assertThat(scene.actions()).containsExactly(new DropCandidate(CONTROLLER_MANAGER, NEW));
    }

    @Test
    void keepsTheOnlyCheckpointThereIs() {
        part.saved(Optional.of(OLD), NONE).pods();

        assertThat(scene.actions()).isEmpty();
        part.pods(SceneComponent.unreadyPod());
        assertThat(scene.actions()).isEmpty();
        part.material = Evidence.known(refused("token"));
        assertThat(scene.actions()).noneMatch(action -> action instanceof DropCandidate);
    }

    @Test
    void replacesAnUnprovenCandidateThatIsAllThereIsByANewerOne() {
        part.saved(Optional.of(OLD), NONE);

        assertThat(scene.actionsAfterNothingFor(TIMES.steady())).containsExactly(SAVE);
    }

    @Test
    void reportsARefusalOnceAPodAndSetOfProblems() {
        part.material = Evidence.known(refused("token"));
        assertThat(scene.decide().actions())
                .singleElement()
                .matches(planned -> planned.action() instanceof ReportRefusal
                        && planned.reason() == Reason.CANNOT_BE_STATIC
                        && planned.evidence().equals("1 problems"));
        assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
        assertThat(waitsFor()).contains("cannot be a static pod");
        part.material = Evidence.unknown("no API");
        assertThat(scene.actions()).isEmpty();
        part.material = Evidence.known(refused("token"));
        assertThat(scene.actions()).isEmpty();
        part.material = Evidence.known(refused("volume"));
        assertThat(scene.actions()).hasSize(1);
    }

    @Test
    void reportsARefusalAgainThatWasMendedAndCameBack() {
        part.material = Evidence.known(refused("token"));
        scene.actions();
        part.made(OLD);
        scene.actions();
        part.material = Evidence.known(refused("token"));

        assertThat(scene.actions()).hasSize(1);
    }

    @Test
    void dropsTheCandidateOfAPodThatIsNowRefused() {
        part.saved(Optional.of(NEW), Optional.of(OLD));
        part.material = Evidence.known(refused("token"));

        assertThat(scene.actions()).contains(new DropCandidate(CONTROLLER_MANAGER, NEW));
    }

    @Test
    void writesNothingWhenTheDiskCannotBeRead() {
        part.slots = Evidence.unknown("input/output error");
        scene.actions();

        assertThat(scene.actionsAfter(Duration.ofHours(1))).isEmpty();
        assertThat(waitsFor()).contains("input/output error");
    }

    @Test
    void savesNothingThatIsKnownNotToBelongHere() {
        part.belongs(false);
        scene.actions();

        assertThat(scene.actionsAfter(TIMES.steady())).isEmpty();
    }

    @Test
    void savesWhatMayBelongHere() {
        part.belongs = Evidence.unknown("");
        scene.actions();

        assertThat(scene.actionsAfter(TIMES.steady())).containsExactly(SAVE);
    }

    @Test
    void countsHealthWhileStartIsAtWorkButWritesNothing() {
        scene.start = Evidence.known(new StartSeen.AtWork());
        scene.actions();
        assertThat(scene.actionsAfter(TIMES.soak())).isEmpty();
        scene.start = Evidence.known(new StartSeen.Idle(false));

        assertThat(scene.actions()).containsExactly(SAVE);
    }

    @Test
    void saysWhatTheFirstCheckpointWaitsFor() {
        part.saved(NONE, NONE);
        part.material = Evidence.unknown("Secret x is not there");
        assertThat(waitsFor()).isEqualTo("a checkpoint: Secret x is not there");
        part.made(NEW).pods(SceneComponent.unreadyPod(), new PrincipalPod("uid-2", "old", true, false, 0, false));
        assertThat(waitsFor()).isEqualTo("its pod to be healthy");
        part.pods();
        assertThat(scene.decide().state().of(CONTROLLER_MANAGER).health()).isEmpty();
    }
}
