package dev.ouroboros.node.lock;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A lock that only one process of this machine holds. The kernel releases it when the process ends, however it ends, so that
 * a killed holder leaves nothing to clean up; the file stays.
 */
public final class ExclusiveLock implements AutoCloseable {
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
        try {
            FileChannel channel = open(file);
            if (tryLock(channel) == null) {
                channel.close();
                throw ProblemException.of(
                        ErrorCode.LOCKED,
                        operation,
                        "another process does this now (process " + holder(file) + ")",
                        "",
                        "wait until it has ended, or end it");
            }
            write(channel);
            return new ExclusiveLock(channel);
        } catch (IOException e) {
            throw new ProblemException(
                    new Problem(ErrorCode.DISK, file.toString(), "cannot be locked: " + e.getMessage(), "", ""), e);
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
                    new Problem(ErrorCode.LOCKED, operation, file + " cannot be locked: " + e, "", ""), e);
            closeQuietly(channel, problem);
            throw problem;
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private static FileChannel open(Path file) {
        try {
            return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new ProblemException(
                    new Problem(ErrorCode.DISK, file.toString(), "cannot be opened: " + e.getMessage(), "", ""), e);
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

    private static String holder(Path file) throws IOException {
        String text = Files.readString(file).strip();
        return text.isEmpty() ? "unknown" : text;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new ProblemException(
                    new Problem(ErrorCode.DISK, "lock file", "cannot be closed: " + e.getMessage(), "", ""), e);
        }
    }
}
