package dev.ouroboros.keeper.checkpoint;

import static dev.ouroboros.keeper.checkpoint.CheckpointFixture.API_SERVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.testing.ModelDisk;
import dev.ouroboros.node.testing.ModelDisk.Fault;
import dev.ouroboros.node.testing.ModelDisk.PowerCut;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every operation of the store, cut off or refused before each of its steps on the disk. */
final class CrashTest {
    private static final Path ROOT = Path.of("/store");
    private static final Checkpoint ONE = CheckpointFixture.of(API_SERVER, "v1");
    private static final Checkpoint TWO = CheckpointFixture.of(API_SERVER, "v2");
    private static final Checkpoint THREE = CheckpointFixture.of(API_SERVER, "v3");

    /** An operation on a store whose last-good is one, with candidate two and the remains of three. */
    static List<Arguments> operations() {
        Slots before = slots(Optional.of(TWO), Optional.of(ONE));
        return List.of(
                operation("save", store -> store.save(THREE), before, slots(Optional.of(THREE), Optional.of(ONE))),
                operation("save again", store -> store.save(TWO), before, before),
                operation(
                        "promote",
                        store -> store.promote(API_SERVER, TWO.revision()),
                        before,
                        slots(Optional.empty(), Optional.of(TWO))),
                operation(
                        "drop",
                        store -> store.drop(API_SERVER, TWO.revision()),
                        before,
                        slots(Optional.empty(), Optional.of(ONE))),
                operation("collect", store -> store.collect(Map.of()), before, before),
                operation("retire", store -> store.retire(API_SERVER), before, Slots.NONE));
    }

    private static Arguments operation(String name, Consumer<CheckpointStore> run, Slots before, Slots after) {
        return Arguments.of(name, run, before, after);
    }

    private static Slots slots(Optional<Checkpoint> candidate, Optional<Checkpoint> lastGood) {
        return new Slots(candidate.map(Checkpoint::revision), lastGood.map(Checkpoint::revision));
    }

    private static ModelDisk prepared() {
        ModelDisk disk = new ModelDisk();
        CheckpointStore store = new CheckpointStore(disk, ROOT);
        store.save(ONE);
        store.promote(API_SERVER, ONE.revision());
        store.save(CheckpointFixture.of(API_SERVER, "v0"));
        store.save(TWO);
        return disk;
    }

    private static Slots slotsOf(CheckpointStore store) {
        Evidence<Slots> slots = store.read().slots().getOrDefault(API_SERVER, Evidence.known(Slots.NONE));
        return slots instanceof Evidence.Known<Slots>(Slots known)
                ? known
                : new Slots(Optional.of(new Revision("00000000")), Optional.empty());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("operations")
    void leavesTheOldOrTheNewWholeAfterAPowerCut(
            String name, Consumer<CheckpointStore> operation, Slots before, Slots after) {
        ModelDisk start = prepared();
        int steps = stepsOf(start, operation);
        for (int cut = 0; cut < steps; cut++) {
            ModelDisk disk = start.copied();
            CheckpointStore store = new CheckpointStore(disk, ROOT);
            disk.breakAfter(cut, Fault.POWER_CUT);
            assertThatThrownBy(() -> operation.accept(store)).isInstanceOf(PowerCut.class);
            disk.repair();

            CheckpointStore next = new CheckpointStore(disk, ROOT);
            assertThat(slotsOf(next)).as("%s cut at step %d", name, cut).isIn(before, after);
            assertThat(next.read().problems()).isEmpty();
            slotsOf(next)
                    .best()
                    .ifPresent(best ->
                            assertThat(next.load(API_SERVER, best).revision()).isEqualTo(best));

            operation.accept(next);
            next.collect(Map.of());
            assertThat(disk.contents())
                    .as("%s cut at step %d, and done again", name, cut)
                    .isEqualTo(done(start, operation));
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("operations")
    void losesNothingOnADiskThatIsReadOnly(
            String name, Consumer<CheckpointStore> operation, Slots before, Slots after) {
        survives(name, operation, before, after, Fault.REFUSES);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("operations")
    void losesNothingOnADiskThatIsFull(String name, Consumer<CheckpointStore> operation, Slots before, Slots after) {
        survives(name, operation, before, after, Fault.FULL);
    }

    private static void survives(
            String name, Consumer<CheckpointStore> operation, Slots before, Slots after, Fault fault) {
        ModelDisk start = prepared();
        int steps = stepsOf(start, operation);
        for (int first = 0; first < steps; first++) {
            ModelDisk disk = start.copied();
            CheckpointStore store = new CheckpointStore(disk, ROOT);
            disk.breakAfter(first, fault);
            boolean refused = isRefused(() -> operation.accept(store));

            assertThat(slotsOf(store))
                    .as("%s refused from step %d", name, first)
                    .isIn(before, after);
            assertThat(slotsOf(store).equals(after) || refused).isTrue();
            assertThat(store.read().problems()).isEmpty();
            if (fault == Fault.FULL) {
                assertThat(disk.contents().keySet())
                        .noneMatch(path -> path.toString().contains(".incoming-"));
            }
            disk.repair();
            operation.accept(store);
            store.collect(Map.of());
            assertThat(disk.contents()).isEqualTo(done(start, operation));
        }
    }

    private static boolean isRefused(Runnable operation) {
        try {
            operation.run();
            return false;
        } catch (ProblemException e) {
            assertThat(e.problems()).extracting(Problem::code).containsOnly(ErrorCode.DISK);
            return true;
        }
    }

    private static int stepsOf(ModelDisk start, Consumer<CheckpointStore> operation) {
        ModelDisk disk = start.copied();
        operation.accept(new CheckpointStore(disk, ROOT));
        return disk.steps();
    }

    private static Map<Path, String> done(ModelDisk start, Consumer<CheckpointStore> operation) {
        ModelDisk disk = start.copied();
        CheckpointStore store = new CheckpointStore(disk, ROOT);
        operation.accept(store);
        store.collect(Map.of());
        return disk.contents();
    }
}
