package dev.ouroboros.images.cache;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Keeps two processes from filling the same cache at once. The kernel releases it when its process ends, however it ends. */
public final class CacheLock implements AutoCloseable {
    private final FileChannel channel;

    private CacheLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Waits until no other process holds the lock.
     *
     * @param file made when it does not exist, never removed: a removed lock file can be held by two
     * @param beforeWaiting called when another process has it
     * @throws ProblemException LOCKED when another thread of this process has it
     */
    public static CacheLock acquire(Path file, Runnable beforeWaiting) {
        FileChannel channel = null;
        try {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock();
            if (lock == null) {
                beforeWaiting.run();
                channel.lock();
            }
            return new CacheLock(channel);
        } catch (IOException | OverlappingFileLockException e) {
            close(channel, e);
            throw new ProblemException(
                    new Problem(ErrorCode.LOCKED, file.toString(), "cannot be locked: " + e, "", ""), e);
        }
    }

    private static void close(@org.jspecify.annotations.Nullable FileChannel channel, Exception reason) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                reason.addSuppressed(e);
            }
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new ProblemException(
                    new Problem(ErrorCode.DISK, "lock of the cache", "cannot be released: " + e, "", ""), e);
        }
    }
}
