package dev.ouroboros.sandbox;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.sandbox.host.Waiting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A lock whose file goes with what it protects, so that a sandbox that is taken down leaves no lock file either. */
final class VanishingLock implements AutoCloseable {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final ExclusiveLock lock;

    private VanishingLock(ExclusiveLock lock) {
        this.lock = lock;
    }

    /**
     * Takes the lock or fails at once. The directory of its file is made when it is missing.
     *
     * @throws dev.ouroboros.core.problem.ProblemException LOCKED when another process has it
     */
    static VanishingLock acquire(Path file, String operation, Disk disk) {
        String ourselves = Long.toString(ProcessHandle.current().pid());
        while (true) {
            disk.createDirectories(file.resolveSibling("."), Disk.OWNER_ONLY_DIRECTORY);
            ExclusiveLock lock = ExclusiveLock.acquire(file, operation);
            // A holder that ended meanwhile may have removed the file that we locked: then ours is not the one others
            // find.
            if (disk.readText(file).equals(Optional.of(ourselves))) {
                return new VanishingLock(lock);
            }
            lock.close();
        }
    }

    /** Waits for a lock that others hold for a moment only. */
    static VanishingLock await(Path file, String operation, Disk disk, Waiting waiting) {
        AtomicReference<@Nullable VanishingLock> taken = new AtomicReference<>();
        waiting.until(
                () -> {
                    try {
                        taken.set(acquire(file, operation, disk));
                        return true;
                    } catch (ProblemException e) {
                        if (e.problems().getFirst().code() == ErrorCode.LOCKED) {
                            return false;
                        }
                        throw e;
                    }
                },
                LONGEST_WAIT);
        VanishingLock lock = taken.get();
        return lock != null ? lock : acquire(file, operation, disk);
    }

    @Override
    public void close() {
        lock.close();
    }
}
