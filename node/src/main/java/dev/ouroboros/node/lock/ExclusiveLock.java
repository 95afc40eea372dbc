package dev.ouroboros.node.lock;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A lock that only one process of this machine holds. The kernel releases it when the process ends, however it ends, so that
 * a killed holder leaves nothing to clean up; the file stays.
 */
public final class ExclusiveLock implements AutoCloseable {
    private static final int TRIES = 3;
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(20);

    private final FileChannel channel;

    private ExclusiveLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Takes the lock or fails at once.
     *
     * @param file in a directory that exists
     * @param operation what the holder does, for the message
     * @throws ProblemException LOCKED with the holder's process id
     */
    public static ExclusiveLock acquire(Path file, String operation) {
        return tryAcquire(file)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.LOCKED,
                        operation,
                        "another process does this now (process " + holder(file) + ")",
                        "",
                        "wait until it has ended, or end it"));
    }

    /**
     * Takes the lock; empty when somebody else has it.
     *
     * @param file in a directory that exists
     * @throws ProblemException when the file cannot be locked
     */
    public static Optional<ExclusiveLock> tryAcquire(Path file) {
        FileChannel channel = open(file);
        try {
            if (!tryLockPatiently(channel)) {
                channel.close();
                return Optional.empty();
            }
            write(channel);
            return Optional.of(new ExclusiveLock(channel));
        } catch (IOException e) {
            ProblemException problem = FileTrouble.of(file, "cannot be locked", e);
            closeQuietly(channel, problem);
            throw problem;
        }
    }

    /**
     * Takes the lock, when need be after another process has ended what it does.
     *
     * @param file in a directory that exists
     * @param operation what the holder does, for the message
     * @param beforeWaiting called when another process holds the lock
     * @throws ProblemException LOCKED when another thread of this process holds it, which no kernel would wait for
     */
    public static ExclusiveLock await(Path file, String operation, Runnable beforeWaiting) {
        FileChannel channel = open(file);
        try {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                beforeWaiting.run();
                channel.lock();
            }
            write(channel);
            return new ExclusiveLock(channel);
        } catch (IOException | OverlappingFileLockException e) {
            ProblemException problem = new ProblemException(
                    new Problem(
                            ErrorCode.LOCKED,
                            operation,
                            file + " cannot be locked: " + e,
                            "",
                            "see who holds it: fuser " + file),
                    e);
            closeQuietly(channel, problem);
            throw problem;
        }
    }

    /**
     * Whether another process holds the lock now. This asks for a shared lock, which several processes can have, and gives it back at once. A process
     * that takes the lock in that moment fails although nobody holds the lock; {@link #acquire} tries again for that.
     *
     * @param file which may be missing: then nobody holds it
     */
    public static boolean isHeld(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true);
            if (lock == null) {
                return true;
            }
            lock.release();
            return false;
        } catch (OverlappingFileLockException e) {
            return true;
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw FileTrouble.of(file, "cannot be asked for its lock", e);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    /** Tries a few times: a process that only asks whether the lock is held has it for an instant. */
    private static boolean tryLockPatiently(FileChannel channel) throws IOException {
        for (int again = 0; again < TRIES; again++) {
            if (tryLock(channel) != null) {
                return true;
            }
            LockSupport.parkNanos(BETWEEN_TRIES.toNanos());
        }
        return false;
    }

    private static FileChannel open(Path file) {
        try {
            return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw FileTrouble.of(file, "cannot be opened", e);
        }
    }

    private static void write(FileChannel channel) throws IOException {
        channel.truncate(0);
        channel.write(
                ByteBuffer.wrap(Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
    }

    private static void closeQuietly(FileChannel channel, ProblemException reason) {
        try {
            channel.close();
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }

    private static String holder(Path file) {
        try {
            String text = Files.readString(file).strip();
            return text.isEmpty() ? "unknown" : text;
        } catch (IOException e) {
            throw FileTrouble.of(file, "cannot be read", e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw FileTrouble.of("lock file", "cannot be closed", e);
        }
    }
}
