package dev.ouroboros.keeper.decide;

import static dev.ouroboros.keeper.decide.SceneComponent.NEW;
import static dev.ouroboros.keeper.decide.SceneComponent.OLD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Action.HoldLease;
import dev.ouroboros.keeper.decide.Action.ReplacePrincipal;
import dev.ouroboros.keeper.decide.ChangeSeen.LeaseSeen;
import dev.ouroboros.keeper.decide.ChangeSeen.Made;
import dev.ouroboros.keeper.decide.ChangeSeen.Others;
import dev.ouroboros.keeper.decide.ChangeSeen.Target;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A change is wanted while API servers of other nodes do not serve: the one here is not given up then. */
final class OthersUnreadyTest {
    private static final Set<String> NOBODY = Set.of();
    private static final Set<String> SOMEBODY = Set.of("10.77.0.3");

    private final KeeperScene scene =
            KeeperScene.of(new SceneComponent(Role.API_SERVER).saved(Optional.empty(), Optional.of(OLD)));

    private void change(LeaseSeen lease, ChangeRecord record) {
        change(lease, record, KeeperScene.target("old", "", Optional.empty(), Others.NONE));
    }

    private static Target refused(boolean ofOthers) {
        Target asked = KeeperScene.target("old", "", Optional.empty(), Others.NONE);
        return new Target(
                asked.component(),
                new Made.Refused(Optional.of(NEW), List.of(), ofOthers),
                asked.madeFrom(),
                asked.current(),
                asked.paused(),
                asked.retry(),
                asked.reported(),
                asked.others());
    }

    private void change(LeaseSeen lease, ChangeRecord record, Target target) {
        scene.change = new ChangeSeen(
                Evidence.known(Optional.of(target)),
                Evidence.known(record),
                Evidence.known(lease),
                Evidence.known(new Proof.Passed(KeeperScene.BEGIN)),
                Evidence.known(new Proof.Passed(KeeperScene.BEGIN)),
                "",
                0);
    }

    @Test
    void nobodyBegins() {
        change(new LeaseSeen.Free().withoutServers(SOMEBODY), ChangeRecord.NONE);
        scene.actions();
        assertThat(scene.actionsAfter(KeeperSettings.DEFAULT.steady())).doesNotContain(new HoldLease());
        ChangeStatus status = scene.decide().state().change().status();
        assertThat(status.step()).isEqualTo(ChangeStep.WAITING);
        assertThat(status.message()).isEqualTo("for the API servers at 10.77.0.3, which are not ready");

        change(new LeaseSeen.Free().withoutServers(NOBODY), ChangeRecord.NONE);
        assertThat(scene.actions()).contains(new HoldLease());
    }

    /** Its candidate stands ready, and its turn is kept. */
    @Test
    void whoHasBegunGoesOn() {
        LeaseSeen mine = new LeaseSeen.Mine(true);
        assertThat(mine.withoutServers(SOMEBODY)).isEqualTo(mine);
        LeaseSeen another = new LeaseSeen.OfAnother("node-2");
        assertThat(another.withoutServers(SOMEBODY)).isEqualTo(another);
    }

    /** Else two nodes whose principals crash by a bad template would wait for each other. */
    @Test
    void aPrincipalThatIsLostIsReplaced() {
        scene.api()
                .understudyServes()
                .principal(new Health.NotListening())
                .pods(SceneComponent.restartedPod(ChangeFacts.MOST_ENDS))
                .made(NEW);
        scene.toUnderstudy();
        change(new LeaseSeen.Free().withoutServers(SOMEBODY), ChangeRecord.NONE);
        assertThat(scene.actions()).contains(new HoldLease());
    }

    private void neverServed() {
        scene.api()
                .saved(Optional.empty(), Optional.empty())
                .principal(new Health.NotListening())
                .pods(SceneComponent.restartedPod(ChangeFacts.MOST_ENDS))
                .made(NEW);
    }

    /** Its node got the label while the template was a bad one: there is no other server here that could stand in, and nobody whom it serves. */
    @Test
    void aPrincipalThatNeverServedIsReplacedOnceTheTemplateIsAnother() {
        neverServed();
        change(new LeaseSeen.Mine(false), ChangeRecord.NONE);
        assertThat(scene.actions()).as("it may come yet").noneMatch(ReplacePrincipal.class::isInstance);
        change(new LeaseSeen.Free().withoutServers(SOMEBODY), ChangeRecord.NONE);
        assertThat(scene.actionsAfter(KeeperSettings.DEFAULT.candidateDeadline()))
                .contains(new HoldLease())
                .noneMatch(ReplacePrincipal.class::isInstance);

        change(new LeaseSeen.Mine(false), ChangeRecord.NONE);
        assertThat(scene.actions()).anyMatch(ReplacePrincipal.class::isInstance);
    }

    /** It could not run beside what is here, which serves nobody; others' servers do serve. */
    @Test
    void nobodyBecomesOneThatMayNotServeBesideOthers() {
        neverServed();
        change(new LeaseSeen.Mine(false), ChangeRecord.NONE, refused(true));
        scene.actions();
        assertThat(scene.actionsAfter(KeeperSettings.DEFAULT.candidateDeadline()))
                .noneMatch(ReplacePrincipal.class::isInstance);

        change(new LeaseSeen.Mine(false), ChangeRecord.NONE, refused(false));
        assertThat(scene.actions()).anyMatch(ReplacePrincipal.class::isInstance);
    }

    /** Its checkpoint could not be saved, and it has ended now and then in its life. */
    @Test
    void aPrincipalThatServesIsNotReplacedWhereNothingCanStandIn() {
        scene.api()
                .saved(Optional.empty(), Optional.empty())
                .pods(SceneComponent.restartedPod(ChangeFacts.MOST_ENDS))
                .made(NEW);
        change(new LeaseSeen.Mine(false), ChangeRecord.NONE);
        scene.actions();
        assertThat(scene.actionsAfter(KeeperSettings.DEFAULT.candidateDeadline()))
                .noneMatch(ReplacePrincipal.class::isInstance);
    }
}
