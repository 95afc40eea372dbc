package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.checkpoint.CheckpointStore;
import dev.ouroboros.keeper.checkpoint.StaticManifests;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DiskSourceTest {
    @TempDir
    private Path directory = Path.of("");

    /** Whether a start is unfinished is then not known, which is not the same as that none is. */
    @Test
    void aJournalThatNamesNoPhaseIsUnknownWithWhatToDo() throws IOException {
        Disk disk = new LocalDisk();
        Path journal = Files.writeString(directory.resolve("journal.json"), "{\"phase\": \"of another tool\"}");
        DiskSource source = new DiskSource(
                disk,
                new CheckpointStore(disk, directory.resolve("checkpoints")),
                new StaticManifests(disk, directory.resolve("manifests")),
                () -> false,
                directory,
                new Signal(InstantSource.system()));

        source.refreshFiles();

        assertThat(source.startSeen())
                .isInstanceOfSatisfying(
                        Evidence.Unknown.class,
                        unknown -> assertThat(unknown.toString())
                                .contains(journal + ": names no phase")
                                .contains("start's journal")
                                .contains("move it away if no 'ouro start' is to be continued"));
    }
}
