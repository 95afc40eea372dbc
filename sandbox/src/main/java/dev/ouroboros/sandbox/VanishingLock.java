package dev.ouroboros.sandbox;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.node.process.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A lock whose file goes with what it protects, so that a sandbox that is taken down leaves no lock file either. */
final class VanishingLock implements AutoCloseable {
    private static final Path LOCKS = Path.of("/proc/locks");
    /** Each failed attempt needs another holder that removed the file between two instructions of ours. */
    private static final int ATTEMPTS = 100;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final ExclusiveLock lock;

    private VanishingLock(ExclusiveLock lock) {
        this.lock = lock;
    }

    /**
     * Takes the lock or fails at once. The directory of its file is made when it is missing.
     *
     * @throws dev.ouroboros.model.problem.ProblemException LOCKED when another process has it
     */
    static VanishingLock acquire(Path file, String operation, Disk disk) {
        return acquire(file, operation, disk, LOCKS);
    }

    /**
     * @param locks the kernel's list of locks
     */
    static VanishingLock acquire(Path file, String operation, Disk disk, Path locks) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            disk.createDirectories(file.resolveSibling("."), Disk.OWNER_ONLY_DIRECTORY);
            ExclusiveLock lock = ExclusiveLock.acquire(file, operation);
            if (isOurs(file, locks)) {
                return new VanishingLock(lock);
            }
            lock.close();
        }
        throw ProblemException.of(
                ErrorCode.DISK,
                file.toString(),
                "was locked " + ATTEMPTS + " times, and " + locks + " never had that lock",
                "a file system of this machine's own, and the /proc of the PID namespace that ouro runs in",
                "run ouro outside of containers that share this directory, or put it on a local disk");
    }

    /**
     * Whether the file of this name is the one that we hold the lock of. A holder that ended meanwhile may have removed the file
     * that we locked, and others find a new one. The kernel's list of locks tells; to open the file would not do: when a process
     * closes a file it loses all its locks of that file (POSIX, fcntl(2)).
     */
    private static boolean isOurs(Path file, Path locks) {
        try {
            if (!Files.exists(file)) {
                return false;
            }
            String inode = ":" + Files.getAttribute(file, "unix:ino");
            String process = Long.toString(ProcessHandle.current().pid());
            // 1: POSIX  ADVISORY  WRITE 4711 fe:00:2230658 0 EOF
            return Files.readAllLines(locks).stream()
                    .map(line -> List.of(line.split("\\s+", -1)))
                    .anyMatch(fields -> fields.size() > 5
                            && fields.get(4).equals(process)
                            && fields.get(5).endsWith(inode));
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw FileTrouble.of(file, "its lock cannot be looked at", e);
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
