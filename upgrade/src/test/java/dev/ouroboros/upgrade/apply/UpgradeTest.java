package dev.ouroboros.upgrade.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.upgrade.decide.Direction;
import dev.ouroboros.upgrade.decide.ObjectName;
import dev.ouroboros.upgrade.decide.UpgradeMilestone;
import dev.ouroboros.upgrade.decide.UpgradeStage;
import dev.ouroboros.upgrade.merge.Conflict;
import dev.ouroboros.upgrade.merge.Preference;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Upgrades of a modelled cluster, on a real directory: what they change, in which order, and what stops them. */
final class UpgradeTest extends ModelUpgrade {
    @Test
    void bringsEveryComponentToTheTargetInTheOrderOfTheSkewPolicy() {
        begin(1);
        Upgrade.Outcome outcome = upgrade("2");
        assertThat(outcome.conflicts()).isEmpty();
        assertThat(cluster.written)
                .containsExactly(
                        UpgradeStage.SHARED,
                        UpgradeStage.SHARED,
                        UpgradeStage.API_SERVER,
                        UpgradeStage.SCHEDULER,
                        UpgradeStage.PROXY);
        assertThat(deeds).containsExactly("save", "before", "images", "render", "accept", "after");
        requireAt("2", false);
    }

    /** An understudy of the version before would be asked by controllers that are newer. */
    @Test
    void nothingElseBecomesNewerThanAnApiServerThatMayComeYet() {
        begin(1);
        cluster.earlier.addAll(List.of("the API server's checkpoint on n2 to be proven", "an understudy to end"));
        upgrade("2");
        assertThat(waits)
                .anyMatch(wait -> wait.startsWith("the API server's checkpoint on n2 to be proven; a node"))
                .anyMatch(wait -> wait.startsWith("an understudy to end; a node"));
        assertThat(cluster.violations).isEmpty();
        requireAt("2", false);
    }

    @Test
    void goingBackWaitsForNoEarlierServer() {
        begin(1);
        upgrade("2");
        waits.clear();
        cluster.earlier.add("an understudy to end");
        rollback();
        assertThat(waits).noneMatch(wait -> wait.startsWith("an understudy"));
        requireAt("1", false);
    }

    /** Nothing selects a node for a moment where the role of the version before has ended; the model complains of it everywhere. */
    @Test
    void theNodesOfTheApiServerHaveTheirNewRoleBeforeItAsksForIt() {
        begin(1);
        upgrade("2");
        requireAt("2", false);
        assertThat(cluster.nodes.get("n2"))
                .containsExactly("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master");
        assertThat(cluster.nodes.get("worker")).isEmpty();
    }

    @Test
    void keepsWhatWasChangedInTheCluster() {
        begin(1);
        edit();
        upgrade("2");
        requireAt("2", true);
    }

    @Test
    void stopsBeforeAnythingIsDoneWhereBothChangedTheSame() {
        begin(1);
        cluster.set(manifest(API_SERVER, "--level=mine"));
        Map<ObjectName, List<Conflict>> foreseen = new Prospect(new UpgradeJournalFile(disk, assets), cluster, clock)
                .conflicts(
                        new Upgrade.Request(Optional.of(manifests("2")), true, "1", "2", Optional.empty(), List.of()));
        Upgrade.Outcome outcome = upgrade("2");
        assertThat(foreseen).as("what a plan says").isEqualTo(outcome.conflicts());
        assertThat(outcome.conflicts().get(API_SERVER))
                .containsExactly(new Conflict(
                        "spec.template.spec.containers[main].command --level",
                        Json.text("1"),
                        Json.text("mine"),
                        Json.text("2")));
        assertThat(cluster.written).isEmpty();
        assertThat(deeds).isEmpty();
        assertThat(new UpgradeJournalFile(disk, assets).read()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"live", "target"})
    void goesOnWhenSomebodyHasChosen(String word) {
        begin(1);
        cluster.set(manifest(API_SERVER, "--level=mine"));
        boolean isLive = word.equals("live");
        upgrade("2", Optional.of(isLive ? Preference.LIVE : Preference.TARGET));
        assertThat(command(API_SERVER)).contains(isLive ? "--level=mine" : "--level=2");
        assertThat(command(SCHEDULER)).contains("--level=2");
    }

    /** With 'ouro change abort' or kubectl: the upgrade does not put it there again by itself. */
    @Test
    void whatSomebodyTakesBackMeanwhileEndsTheRunAndIsNotPutThereAgain() {
        begin(1);
        cluster.aborts = Optional.of(API_SERVER);

        assertThatThrownBy(() -> upgrade("2"))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(API_SERVER.toString())
                .hasMessageContaining("ouro change abort")
                .hasMessageContaining("ouro upgrade rollback");
        assertThat(command(API_SERVER)).contains("--level=1");
        assertThat(cluster.written).containsOnlyOnce(UpgradeStage.API_SERVER).doesNotContain(UpgradeStage.SCHEDULER);

        upgrade("2");
        requireAt("2", false);
    }

    /** Both ways: what the target has no more, and what the way there brought. */
    @Test
    void whatStaysIsNamed() {
        begin(1);
        upgrade("3");
        assertThat(upgrade("2").leftBehind()).containsExactly(EXTRA);

        begin(2);
        upgrade("3");
        assertThat(rollback().leftBehind()).containsExactly(EXTRA);
    }

    @Test
    void whyAPodDoesNotRunIsSaidWhileItIsWaitedFor() {
        begin(1);
        cluster.end(read("""
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "kube-scheduler-x", "namespace": "kube-system"}}"""), (Json.Fields) read("""
                {"containerStatuses": [{"state": {"waiting": {"reason": "CrashLoopBackOff",
                  "message": "back-off 20s restarting failed container"}}}]}"""));

        upgrade("2");

        assertThat(waits)
                .anyMatch(why -> why.contains("pods are")
                        && why.endsWith("(kube-scheduler-x: CrashLoopBackOff: restarting failed container)"));
    }

    @Test
    void goesBackInTheOppositeOrder() {
        begin(1);
        edit();
        upgrade("2");
        cluster.written.clear();
        assertThat(rollback().conflicts()).isEmpty();
        assertThat(cluster.written)
                .containsExactly(
                        UpgradeStage.SHARED, UpgradeStage.PROXY, UpgradeStage.SCHEDULER, UpgradeStage.API_SERVER);
        requireAt("1", true);
    }

    @Test
    void whatIsNotUnderWayCannotBeGoneOnWith() {
        begin(1);
        assertThatThrownBy(() ->
                        upgrade(new Upgrade.Request(Optional.empty(), false, "1", "1", Optional.empty(), List.of())))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("no upgrade is under way");
        assertThatThrownBy(this::rollback).isInstanceOf(ProblemException.class);
    }

    @Test
    void whatIsAlreadyThereIsNothingToDo() {
        begin(1);
        assertThat(upgrade("1").wasDone()).isTrue();
        upgrade("2");
        cluster.written.clear();
        assertThat(upgrade("2").wasDone()).isTrue();
        assertThat(cluster.written).isEmpty();
    }

    @Test
    void aJournalSaysTheSameWhenItIsReadAgain() {
        UpgradeJournal journal = new UpgradeJournal(
                "a",
                Direction.BACK,
                "1.20.2",
                "1.21.0",
                clock.instant(),
                List.of(Preference.LIVE, Preference.TARGET),
                true,
                java.util.Set.of(UpgradeMilestone.SAVED, UpgradeMilestone.HOOKED_BEFORE),
                Optional.of(new UpgradeJournal.Snapshot("/backup/a.db", 7, clock.instant())),
                List.of("--post-hook"));
        assertThat(UpgradeJournal.of(journal.toJson())).isEqualTo(journal);
    }
}
