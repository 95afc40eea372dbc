package dev.ouroboros.etcd;

import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The snapshots that were saved to a directory by {@link SnapshotSaver}, as they are now. */
public final class SnapshotList {
    private final Disk disk;

    public SnapshotList(Disk disk) {
        this.disk = disk;
    }

    /** What is known of one without reading all of it. */
    public enum State {
        /** It ends as it did when it was verified. */
        AS_SAVED,
        /** Something else has its name now. */
        CHANGED,
        MISSING
    }

    /**
     * One of them.
     *
     * @param savedAt when its file was written; empty for one that is missing
     * @param bytes 0 for one that is missing
     * @param keys the file with the keys of its Secrets, if it is there
     */
    public record Entry(Path file, State state, Optional<Instant> savedAt, long bytes, Optional<Path> keys) {}

    /**
     * Those of a directory and of the directories in it, the oldest first.
     *
     * @throws dev.ouroboros.model.problem.ProblemException FOREIGN_FILE when a list cannot be read, DISK when the operating system refuses
     */
    public List<Entry> below(Path directory) {
        List<Entry> entries = new ArrayList<>(of(directory));
        for (String name : disk.list(directory)) {
            Path inside = directory.resolve(name);
            if (disk.status(inside)
                    .filter(status -> status.kind() == FileStatus.Kind.DIRECTORY)
                    .isPresent()) {
                entries.addAll(of(inside));
            }
        }
        entries.sort(Comparator.comparing((Entry entry) -> entry.savedAt().orElse(Instant.MIN))
                .thenComparing(Entry::file));
        return entries;
    }

    /**
     * Those of a directory, by their names.
     *
     * @throws dev.ouroboros.model.problem.ProblemException as {@link #below}
     */
    public List<Entry> of(Path directory) {
        List<Entry> entries = new ArrayList<>();
        new OwnSnapshots(disk, directory).states().forEach((name, state) -> {
            Path file = directory.resolve(name);
            entries.add(new Entry(
                    file,
                    state,
                    disk.modifiedAt(file),
                    state == State.MISSING ? 0 : sizeOf(file),
                    Optional.of(SnapshotName.keysOf(file))
                            .filter(keys -> disk.status(keys).isPresent())));
        });
        return entries;
    }

    private static long sizeOf(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw FileTrouble.of(file, "cannot be read", e);
        }
    }
}
