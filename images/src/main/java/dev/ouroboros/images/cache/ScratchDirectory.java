package dev.ouroboros.images.cache;

import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.lock.ExclusiveLock;
import java.nio.file.Path;
import java.util.function.Function;

/**
 * Room for large files that are needed for one piece of work: one user at a time, emptied before it, so that what a killed run left
 * goes, and after it.
 *
 * @param what it is for, for people who wait
 */
public record ScratchDirectory(Disk disk, Path root, String what) {
    /** @param work gets an empty directory, only its owner's */
    public <T> T use(Function<Path, T> work) {
        disk.createDirectories(root, Disk.OWNER_ONLY_DIRECTORY);
        try (ExclusiveLock _ = ExclusiveLock.await(root.resolve(".lock"), what, () -> {})) {
            Path directory = root.resolve(".work");
            disk.deleteTree(directory);
            disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
            try {
                return work.apply(directory);
            } finally {
                disk.deleteTree(directory);
            }
        }
    }
}
