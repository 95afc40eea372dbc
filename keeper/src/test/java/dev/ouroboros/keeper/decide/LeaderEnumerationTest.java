package dev.ouroboros.keeper.decide;

import static dev.ouroboros.keeper.decide.KeeperScene.SCHEDULER;
import static dev.ouroboros.keeper.decide.SceneComponent.NEW;
import static dev.ouroboros.keeper.decide.SceneComponent.OLD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Every combination of what is seen, and not seen, of a scheduler of several nodes, at first sight and after it has lasted longer than every time; {@link
 * KeeperInvariants} hold for each decision.
 */
@Isolated("computes for seconds; others of this module wait with limits")
final class LeaderEnumerationTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final PrincipalPod SECOND = new PrincipalPod("uid-2", "pod-2", true, false, 0, false);
    private static final List<Evidence<Boolean>> TRUTHS =
            List.of(Evidence.unknown("x"), Evidence.known(false), Evidence.known(true));
    private static final List<Evidence<Integer>> COUNTS =
            List.of(Evidence.unknown("x"), Evidence.known(0), Evidence.known(1), Evidence.known(2));
    private static final List<Evidence<List<PrincipalPod>>> PODS = List.of(
            Evidence.unknown("x"),
            Evidence.known(List.of()),
            Evidence.known(List.of(SceneComponent.readyPod())),
            Evidence.known(List.of(SceneComponent.unreadyPod())),
            Evidence.known(List.of(SceneComponent.leavingPod())),
            Evidence.known(List.of(SceneComponent.readyPod(), SECOND)),
            Evidence.known(List.of(SceneComponent.unreadyPod(), SECOND)),
            Evidence.known(List.of(SceneComponent.leavingPod(), SECOND)));
    private static final List<Evidence<Leading>> LEADING = List.of(
            Evidence.unknown("x"),
            Evidence.known(new Leading.Nobody()),
            Evidence.known(new Leading.Elsewhere()),
            Evidence.known(new Leading.Here(KeeperScene.BEGIN)));
    private static final List<Evidence<StaticManifest>> MANIFESTS = List.of(
            Evidence.unknown("x"),
            Evidence.known(new StaticManifest.Absent()),
            Evidence.known(new StaticManifest.Ours(OLD)));

    private static final List<Evidence<Slots>> SLOTS = List.of(
            Evidence.unknown("x"),
            Evidence.known(Slots.NONE),
            Evidence.known(new Slots(Optional.empty(), Optional.of(OLD))),
            Evidence.known(new Slots(Optional.of(OLD), Optional.empty())),
            Evidence.known(new Slots(Optional.of(NEW), Optional.of(OLD))));

    private final SceneComponent scheduler = new SceneComponent(Role.SCHEDULER);
    private final KeeperScene scene = KeeperScene.beside(SCHEDULER, scheduler);
    private int decisions;

    @Test
    void noCombinationMovesTheLastOne() {
        for (Evidence<List<PrincipalPod>> pods : PODS) {
            scheduler.pods = pods;
            for (Evidence<Boolean> selected : TRUTHS) {
                scheduler.selected = selected;
                for (Evidence<Boolean> belongs : TRUTHS) {
                    scheduler.belongs = belongs;
                    others();
                }
            }
        }
        assertThat(decisions).isEqualTo(2 * 8 * 3 * 3 * 4 * 4 * 4 * 3 * 3);
    }

    private void others() {
        for (Evidence<Integer> elsewhere : COUNTS) {
            scheduler.elsewhere = elsewhere;
            for (Evidence<Integer> servers : COUNTS) {
                scene.otherApiServers = servers;
                for (Evidence<Leading> leading : LEADING) {
                    scheduler.leading = leading;
                    for (Evidence<Boolean> kept : TRUTHS) {
                        scene.countsAreKept = kept;
                        MANIFESTS.forEach(this::check);
                    }
                }
            }
        }
    }

    @Test
    void noCombinationSavesWhatIsNotProvenElsewhere() {
        for (boolean ready : List.of(true, false)) {
            PrincipalPod there = new PrincipalPod("uid-there", "pod-there", ready, false, 0, false);
            scheduler.material = Evidence.known(new Material.OnAnotherNode(there, NEW));
            for (Evidence<Slots> slots : SLOTS) {
                scheduler.slots = slots;
                for (Evidence<List<PrincipalPod>> pods : PODS) {
                    scheduler.pods = pods;
                    for (Evidence<Boolean> selected : TRUTHS) {
                        scheduler.selected = selected;
                        others();
                    }
                }
            }
        }
        assertThat(decisions).isEqualTo(2 * 2 * 5 * 8 * 3 * 4 * 4 * 4 * 3 * 3);
    }

    private void check(Evidence<StaticManifest> manifest) {
        scheduler.manifest = manifest;
        Observation seen = scene.seen();
        Keeper keeper = new Keeper(scene.settings);
        Decision first = keeper.decide(seen, KeeperState.initial(), KeeperScene.BEGIN);
        KeeperInvariants.check(seen, first);
        KeeperInvariants.check(seen, keeper.decide(seen, first.state(), KeeperScene.BEGIN.plus(LONG)));
        decisions += 2;
    }
}
