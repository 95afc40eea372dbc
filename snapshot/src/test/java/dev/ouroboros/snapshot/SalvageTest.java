package dev.ouroboros.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import dev.ouroboros.snapshot.etcd.Salvage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read of a real snapshot, 552 objects up to revision 626, whose tree of pages is broken. */
final class SalvageTest {
    private static final long TABLE_BYTES = 1 << 20;
    private static final long LIVE = 552;
    private static final long NEWEST = 626;

    @TempDir
    private Path directory = Path.of("");

    private Inspection salvage(byte[] bytes) throws IOException {
        try (Snapshot snapshot = open(bytes)) {
            return snapshot.inspect();
        }
    }

    private Snapshot open(byte[] bytes) throws IOException {
        return Snapshot.salvage(
                Files.write(directory.resolve("broken.db"), bytes),
                EncryptionConfiguration.read(SampleFile.encryptionConfiguration(), "keys.yaml"),
                TABLE_BYTES);
    }

    private Map<String, Json.Fields> objects(byte[] bytes) throws IOException {
        Map<String, Json.Fields> objects = new TreeMap<>();
        try (Snapshot snapshot = open(bytes)) {
            snapshot.extract(Selection.everything(), (key, object) -> objects.put(key.toString(), object));
        }
        return objects;
    }

    @Test
    void aWholeFileIsReadAlongItsTree() throws IOException {
        Inspection inspection = salvage(SampleFile.bytes());
        assertThat(inspection.salvage()).isEmpty();
        assertThat(inspection.damage()).isEmpty();
        assertThat(inspection.liveKeys()).isEqualTo(LIVE);
        assertThat(inspection.status().hash()).isEqualTo(1092337012L);
    }

    @Test
    void withoutMetaPagesTheNewestRootIsFound() throws IOException {
        BrokenFile broken = new BrokenFile(SampleFile.bytes());
        Inspection inspection = salvage(broken.withoutMetas().bytes());
        // It, or an earlier one of the same consistent index.
        assertThat(inspection.salvage().orElseThrow().rootPage()).isPresent();
        assertThat(inspection.salvage().orElseThrow().treeRevision()).hasValue(NEWEST);
        assertThat(inspection.salvage().orElseThrow().missingChanges()).hasValue(0);
        assertThat(inspection.liveKeys()).isEqualTo(LIVE);
        assertThat(inspection.etcd().members()).hasSize(1);
        assertThat(objects(broken.bytes())).isEqualTo(objects(SampleFile.bytes()));
    }

    @Test
    void withoutTheRootPageAnOlderOneAndLaterChangesAreRead() throws IOException {
        BrokenFile broken = new BrokenFile(SampleFile.bytes());
        Inspection inspection = salvage(broken.without(broken.root()).bytes());
        assertThat(inspection.status().revision()).isEqualTo(NEWEST);
        assertThat(inspection.liveKeys()).isEqualTo(LIVE);
        assertThat(objects(broken.bytes())).isEqualTo(objects(SampleFile.bytes()));
    }

    @Test
    void withoutABranchOfTheKeysAllOfThemAreRead() throws IOException {
        BrokenFile broken = new BrokenFile(SampleFile.bytes());
        assertThat(broken.branches()).contains(broken.keys());
        assertThatThrownBy(() -> readWithout(broken.without(broken.keys()).bytes()))
                .isInstanceOf(AssertionError.class);
        assertThat(objects(broken.bytes())).isEqualTo(objects(SampleFile.bytes()));
    }

    /** Nothing hangs below a branch that is lost. */
    private void readWithout(byte[] bytes) throws IOException {
        Path file = Files.write(directory.resolve("broken.db"), bytes);
        try (Snapshot snapshot = Snapshot.open(file, EncryptionConfiguration.none(), TABLE_BYTES)) {
            assertThat(snapshot.inspect().liveKeys()).isEqualTo(LIVE);
        }
    }

    @Test
    void leavesAloneHoldEveryObjectOfAnEtcdThatWasNeverCompacted() throws IOException {
        BrokenFile broken = new BrokenFile(SampleFile.bytes()).withoutAnyTree();
        Inspection inspection = salvage(broken.bytes());
        Salvage salvage = inspection.salvage().orElseThrow();
        assertThat(salvage.rootPage()).isEmpty();
        assertThat(salvage.newestRevision()).isEqualTo(NEWEST);
        assertThat(inspection.liveKeys()).isEqualTo(LIVE);
        assertThat(objects(broken.bytes())).isEqualTo(objects(SampleFile.bytes()));
        assertThat(inspection.damage())
                .extracting(Problem::what)
                .anyMatch(what -> what.startsWith("was salvaged: what was found in "))
                .anyMatch(what -> what.startsWith("no trace was found of when etcd was compacted"))
                .anyMatch(what -> what.startsWith(LIVE + " of the keys that are read were last changed before"));
    }

    @Test
    void countsTheChangesOfWhichNothingIsLeft() throws IOException {
        BrokenFile broken = new BrokenFile(SampleFile.bytes());
        Map<String, Json.Fields> all = objects(broken.bytes());
        for (int leaf : broken.leaves().subList(0, 40)) {
            if (leaf != broken.root()) {
                broken.without(leaf);
            }
        }
        Inspection inspection = salvage(broken.withoutMetas().bytes());
        assertThat(inspection.salvage().orElseThrow().missingChanges().orElseThrow())
                .isPositive();
        assertThat(inspection.damage())
                .extracting(Problem::what)
                .anyMatch(what -> what.contains("changes after revision 1 nothing is left"));
        assertThat(objects(broken.bytes())).isNotEmpty().hasSizeLessThan(all.size());
    }

    @Test
    void aFileThatWasCutOffKeepsWhatIsBeforeTheCut() throws IOException {
        byte[] bytes = SampleFile.bytes();
        Inspection inspection = salvage(Arrays.copyOf(bytes, bytes.length / 2));
        assertThat(inspection.salvage()).isPresent();
        assertThat(inspection.liveKeys()).isPositive().isLessThan(LIVE);
    }

    @Test
    void saysThatNothingIsLeft() {
        assertThatThrownBy(() -> salvage(new byte[1 << 16]))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems())
                                .extracting(Problem::code)
                                .containsExactly(ErrorCode.NOT_A_DATABASE));
    }

    @Test
    void neverSalvagesUnasked() throws IOException {
        byte[] bytes = new BrokenFile(SampleFile.bytes()).withoutMetas().bytes();
        Path file = Files.write(directory.resolve("broken.db"), bytes);
        assertThatThrownBy(() -> Snapshot.open(file, EncryptionConfiguration.none(), TABLE_BYTES))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("bbolt");
    }
}
