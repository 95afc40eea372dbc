package dev.ouroboros.keeper.decide;

import static dev.ouroboros.keeper.decide.SceneComponent.NEW;
import static dev.ouroboros.keeper.decide.SceneComponent.OLD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Action.HoldLease;
import dev.ouroboros.keeper.decide.Action.ReportChange;
import dev.ouroboros.keeper.decide.ChangeSeen.LeaseSeen;
import dev.ouroboros.keeper.decide.ChangeSeen.Others;
import dev.ouroboros.keeper.decide.ChangeSeen.Target;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the keepers of several nodes say of one change, in the same annotations: each of them would write over what the others say. */
final class ChangeReportingTest {
    private static final LeaseSeen FREE = new LeaseSeen.Free();
    private static final LeaseSeen MINE = new LeaseSeen.Mine(false);
    private static final LeaseSeen OF_ANOTHER = new LeaseSeen.OfAnother("node-2");
    private static final ChangeReport PROVING = ChangeReport.of(ChangeStep.PROVING, Optional.of(NEW), "for it");
    private static final ChangeReport WAITING = ChangeReport.of(ChangeStep.WAITING, Optional.of(NEW), "for something");
    private static final ChangeReport FAILED = ChangeReport.of(ChangeStep.FAILED, Optional.of(NEW), "crashes");

    private static final Duration LONG =
            KeeperSettings.DEFAULT.candidateDeadline().multipliedBy(2);

    private final KeeperScene scene =
            KeeperScene.of(new SceneComponent(Role.API_SERVER).saved(Optional.empty(), Optional.of(OLD)));

    private String retry = "";

    private List<Action> actions(String pod, LeaseSeen lease, ChangeReport reported, Others others) {
        Target target = KeeperScene.target(pod, retry, Optional.of(reported), others);
        scene.change = new ChangeSeen(
                Evidence.known(Optional.of(target)),
                Evidence.known(ChangeRecord.NONE),
                Evidence.known(lease),
                Evidence.known(new Proof.Passed(KeeperScene.BEGIN)),
                Evidence.unknown("not asked"),
                "",
                0);
        return scene.actions();
    }

    private List<String> reports(String pod, LeaseSeen lease, ChangeReport reported, Others others) {
        return actions(pod, lease, reported, others).stream()
                .flatMap(action -> action instanceof ReportChange report
                        ? Stream.of(report.report().step())
                        : Stream.empty())
                .toList();
    }

    private static Others another(boolean outdated) {
        return new Others(true, "node-2", "", outdated);
    }

    private static Others ours(boolean outdated) {
        return new Others(true, "", "", outdated);
    }

    @Test
    void whoChangesItsServerSpeaks() {
        assertThat(reports("old", OF_ANOTHER, PROVING, another(true))).isEmpty();
        assertThat(reports("old", FREE, WAITING, another(true)))
                .as("both wait, for different things")
                .isEmpty();
        assertThat(reports("old", MINE, PROVING, another(true))).containsExactly("Waiting");
        assertThat(reports("old", OF_ANOTHER, WAITING, ours(true)))
                .as("until the other one says something")
                .containsExactly("Waiting");
    }

    /** Seed 2036 of several machines: only this node had its label yet. */
    @Test
    void whoChangesItsServerSpeaksAlsoWithoutItsLabel() {
        Others unlabelled = new Others(false, "node-2", "", false);
        assertThat(reports("old", OF_ANOTHER, PROVING, unlabelled)).isEmpty();
        assertThat(reports("old", FREE, PROVING, unlabelled))
                .as("nobody is at it any more")
                .containsExactly("Waiting");
    }

    @Test
    void whatIsSaidOfAnEarlierTemplateIsWrittenOver() {
        ChangeReport earlier = ChangeReport.of(ChangeStep.DONE, Optional.of(OLD), "the template is what runs");
        assertThat(reports("old", FREE, earlier, another(true))).containsExactly("Waiting");
        ChangeReport failed = ChangeReport.of(ChangeStep.FAILED, Optional.of(OLD), "crashes");
        assertThat(reports("old", FREE, failed, another(true)))
                .as("its keeper may not have read what this one has, or this one not what it has")
                .isEmpty();
        assertThat(reports("old", MINE, failed, another(true))).containsExactly("Waiting");
    }

    /** Seed 4: a Secret had changed, and keepers read that one after the other. */
    @Test
    void whatIsDoneIsSaidOnce() {
        ChangeReport done = ChangeReport.of(ChangeStep.DONE, Optional.of(OLD), "the template is what runs");
        scene.api().made(NEW).saved(Optional.empty(), Optional.of(NEW));
        assertThat(reports("new", FREE, done, another(false))).isEmpty();
        assertThat(reports("new", FREE, done, ours(false))).containsExactly("Done");
    }

    @Test
    void aChangeIsDoneWhenTheLastNodeIs() {
        ChangeReport replacing = ChangeReport.of(ChangeStep.REPLACING, Optional.of(OLD), "for it");
        scene.api().made(NEW).saved(Optional.empty(), Optional.of(NEW));
        assertThat(reports("new", FREE, replacing, ours(true)))
                .as("others have to change yet")
                .containsExactly("Waiting");
        assertThat(reports("new", FREE, PROVING, another(true))).isEmpty();
        assertThat(reports("new", OF_ANOTHER, PROVING, another(false)))
                .as("the last one is replaced")
                .isEmpty();
        assertThat(reports("new", MINE, PROVING, ours(false))).containsExactly("Done");
        assertThat(reports("new", FREE, PROVING, another(false)))
                .as("that is the other one's to say")
                .isEmpty();
    }

    /** Else {@code ouro status --wait} would wait until the next change. */
    @Test
    void whoNeverSaysThatItIsOverIsSpokenFor() {
        scene.api().made(NEW).saved(Optional.empty(), Optional.of(NEW));
        assertThat(reports("new", OF_ANOTHER, PROVING, another(false))).isEmpty();
        scene.actionsAfter(LONG);
        assertThat(reports("new", FREE, PROVING, another(false)))
                .as("its Lease has just run out")
                .isEmpty();
        assertThat(reports("new", FREE, PROVING, another(true)))
                .as("it may be back and go on")
                .isEmpty();

        assertThat(reports("new", FREE, PROVING, another(false))).isEmpty();
        assertThat(scene.actionsAfter(LONG))
                .filteredOn(ReportChange.class::isInstance)
                .hasSize(1);
    }

    /** Its server does not prove itself there although the template is what runs: that stays said. */
    @Test
    void aFailureOnAnotherNodeIsNotWrittenOver() {
        scene.api().made(NEW).saved(Optional.empty(), Optional.of(NEW));
        assertThat(reports("new", FREE, FAILED, another(false))).isEmpty();
        assertThat(scene.actionsAfter(LONG)).noneMatch(ReportChange.class::isInstance);
    }

    /** A bad template harms one candidate, not one on each node. */
    @Test
    void whatFailedOnOneNodeIsNotTriedOnTheNext() {
        assertThat(actions("old", FREE, FAILED, another(true)))
                .noneMatch(HoldLease.class::isInstance)
                .noneMatch(ReportChange.class::isInstance);
        ChangeStatus status = scene.decide().state().change().status();
        assertThat(status.step()).isEqualTo(ChangeStep.FAILED);
        assertThat(status.message()).isEqualTo("crashes");

        retry = "again";
        scene.actionsAfter(KeeperSettings.DEFAULT.steady());
        assertThat(actions("old", FREE, FAILED, another(true))).anyMatch(HoldLease.class::isInstance);
    }
}
