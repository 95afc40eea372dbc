package dev.ouroboros.upgrade.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.model.procedure.testing.KilledAnywhere;
import dev.ouroboros.upgrade.decide.Release;
import dev.ouroboros.upgrade.decide.UpgradeMilestone;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Upgrades of a modelled cluster that are killed, refused or taken back on their way. */
final class InterruptedUpgradeTest extends ModelUpgrade {
    private static final int MANY = 30;

    /** By manifests an older API server would get an etcd that has what it has no word for. */
    @Test
    void oneThatGoesBackByTheSnapshotIsKnownToWhenItWasInterrupted() {
        begin(1);
        upgrade("2");
        assertThatThrownBy(() -> upgrade().restore(_ -> {}, deeds("1"), () -> {
                    throw ProblemException.of(ErrorCode.COMPONENT_FAILED, "start", "is killed", "", "run it again");
                }))
                .isInstanceOf(ProblemException.class);
        assertThat(upgrade().last())
                .hasValueSatisfying(last -> assertThat(last.isBySnapshot()).isTrue())
                .hasValueSatisfying(
                        last -> assertThat(last.isDone(UpgradeMilestone.DONE)).isFalse());

        deeds.clear();
        upgrade().restore(_ -> {}, deeds("1"), () -> deeds.add("restore"));
        assertThat(deeds).contains("restore", "accept");
        assertThat(upgrade().last())
                .hasValueSatisfying(last -> assertThat(last.isBySnapshot() && last.isDone(UpgradeMilestone.DONE))
                        .isTrue());
    }

    @Test
    void killedAnywhereItGoesOn() {
        for (int seed = 0; seed < MANY; seed++) {
            Random random = begin(seed);
            edit();
            untilItEnds(random, () -> upgrade("2"));
            requireAt("2", true);
        }
    }

    @Test
    void killedBeforeAndBehindEveryActionItGoesOn() throws Exception {
        int places = KilledAnywhere.check(() -> {
            begin(0);
            edit();
            return new KilledAnywhere.World() {
                @Override
                public void run(KilledAnywhere.Place end) {
                    place = Optional.of(end);
                    upgrade("2");
                }

                @Override
                public void judge(int killed) {
                    requireAt("2", true);
                }
            };
        });
        // Seven milestones and five writes at least.
        assertThat(places).isGreaterThan(24);
    }

    @Test
    void takenBackAnywhereNothingOfItIsLeft() {
        for (int seed = 0; seed < MANY; seed++) {
            Random random = begin(seed);
            edit();
            killed(random, () -> upgrade("2"));
            if (new UpgradeJournalFile(disk, assets).read().isEmpty()) {
                continue;
            }
            untilItEnds(random, this::rollback);
            requireAt("1", true);
        }
    }

    /** What comes before the asset directory is written: without programs of the target, say, a sandbox has no images of it. */
    @ParameterizedTest
    @ValueSource(strings = {"save", "before", "images"})
    void whatIsRefusedBeforeItChangedAnythingIsNothingToWhoeverComesNext(String deed) {
        begin(1);
        refused("2", deed);

        assertThatThrownBy(this::rollback)
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("no upgrade is known that could be taken back");
        assertThatThrownBy(() ->
                        upgrade(new Upgrade.Request(Optional.empty(), false, "1", "1", Optional.empty(), List.of())))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("no upgrade is under way");
        deeds.clear();
        Upgrade.Outcome next = upgrade("3");
        assertThat(deeds).containsExactly("save", "before", "images", "render", "accept", "after");
        assertThat(next.journal().orElseThrow().snapshot().orElseThrow().revision())
                .as("etcd of before this one, not of before the one that was refused")
                .isEqualTo(saves);
        rollback();
        requireAt("1", false);
    }

    @ParameterizedTest
    @ValueSource(strings = {"save", "before", "images"})
    void whatIsRefusedLeavesTheWayBackOfTheOneBeforeIt(String deed) {
        begin(1);
        upgrade("2");
        refused("3", deed);
        rollback();
        requireAt("1", false);
    }

    @ParameterizedTest
    @ValueSource(strings = {"before", "images"})
    void anotherTargetThatIsRefusedOnTheWayLeavesTheFirstOneUnderWay(String deed) {
        begin(1);
        untilRendered();
        refused("3", deed);
        upgrade(new Upgrade.Request(Optional.empty(), false, "1", "1", Optional.empty(), List.of()));
        requireAt("2", false);
    }

    /** A plan that begins anew goes by these: of the half-written ones nobody knows what the cluster lives with. */
    @Test
    void whileTheTargetIsWrittenTheClusterIsMadeOfWhatWasKeptAside() {
        begin(1);
        refused("2", "render");
        write(assets, "2");
        assertThat(NamedManifests.read(disk, new UpgradeJournalFile(disk, assets).made()))
                .isEqualTo(manifests("1"));
        upgrade("2");
        assertThat(NamedManifests.read(disk, new UpgradeJournalFile(disk, assets).made()))
                .isEqualTo(manifests("2"));
    }

    /** Else the Job that looks whether all is well would be left out without a word. */
    @Test
    void whoGoesOnSaysAgainWhatIsToBeRunAfterwards() {
        begin(1);
        after = List.of("--post-hook", "--post-job");
        untilRendered();
        after = List.of("--post-hook");
        Refusal.of(
                () -> upgrade("2"),
                ErrorCode.BAD_USAGE,
                "--post-job",
                "was begun with it, and it has not run yet",
                "add it");
        assertThat(new UpgradeJournalFile(disk, assets).read().orElseThrow().isDone(UpgradeMilestone.DONE))
                .isFalse();
        after = List.of("--post-hook", "--post-job");
        upgrade("2");
        requireAt("2", false);
        after = List.of();
        rollback();
        upgrade("3");
        requireAt("3", false);
    }

    @Test
    void anotherTargetOnTheWayIsReachedWithNothingLeftOfTheFirst() {
        for (int seed = 0; seed < MANY; seed++) {
            Random random = begin(seed);
            edit();
            killed(random, () -> upgrade("2"));
            untilItEnds(random, () -> upgrade("3"));
            requireAt("3", true);
            untilItEnds(random, this::rollback);
            requireAt("1", true);
        }
    }

    /** Both ways; what a sandbox remembers of itself. */
    @Test
    void theVersionReachedIsThatOfTheLastChangeThatHasEnded() {
        begin(1);
        untilRendered();
        assertThat(new UpgradeJournalFile(disk, assets).read().orElseThrow().reached())
                .isEmpty();
        assertThat(reached(upgrade("2"))).contains("2");
        assertThat(reached(rollback())).contains("1");
    }

    /** Killed when its asset directory is the target's and nothing of the cluster is. */
    private void untilRendered() {
        for (int requests = 0; !NamedManifests.read(disk, assets).equals(manifests("2")); requests++) {
            cluster.killAt(requests);
            assertThatThrownBy(() -> upgrade("2")).isInstanceOf(ModelCluster.Killed.class);
        }
        cluster.killAt(Integer.MAX_VALUE);
        assertThat(cluster.written).isEmpty();
    }

    private void refused(String level, String deed) {
        failing = deed;
        assertThatThrownBy(() -> upgrade(level))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(deed);
        failing = "";
    }

    private static Optional<String> reached(Upgrade.Outcome outcome) {
        return outcome.journal().flatMap(UpgradeJournal::reached).map(Release::version);
    }

    private void killed(Random random, Runnable command) {
        cluster.killAt(random.nextInt(60));
        try {
            command.run();
        } catch (ModelCluster.Killed _) {
            return;
        } finally {
            cluster.killAt(Integer.MAX_VALUE);
        }
    }

    private void untilItEnds(Random random, Runnable command) {
        for (int kill = random.nextInt(4); kill > 0; kill--) {
            killed(random, command);
        }
        command.run();
    }
}
