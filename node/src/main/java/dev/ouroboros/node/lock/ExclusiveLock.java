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
            FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            if (tryLock(channel) == null) {
                channel.close();
                throw ProblemException.of(
                        ErrorCode.LOCKED,
                        operation,
                        "another process does this now (process " + holder(file) + ")",
                        "",
                        "wait until it has ended, or end it");
            }
            channel.truncate(0);
            channel.write(
                    ByteBuffer.wrap(Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
            return new ExclusiveLock(channel);
        } catch (IOException e) {
            throw new ProblemException(
                    new Problem(ErrorCode.DISK, file.toString(), "cannot be locked: " + e.getMessage(), "", ""), e);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
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
