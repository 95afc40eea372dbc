package dev.ouroboros.node.disk;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Checks for room before much is written: what does not fit is refused before anything is changed. */
public final class FreeSpace {
    private FreeSpace() {}

    /**
     * Requires room on a file system.
     *
     * @param path in the file system; it need not exist
     * @param needed bytes
     * @param purpose what they are for, as in {@code the snapshot}
     * @param next what a person can do
     * @throws ProblemException DISK when there is less, or when it cannot be told
     */
    public static void require(Disk disk, Path path, long needed, String purpose, String next) {
        lack(disk, path, needed, purpose, next).ifPresent(problem -> {
            throw new ProblemException(List.of(problem));
        });
    }

    /**
     * The problem where there is less room; parameters as of {@link #require}.
     *
     * @throws ProblemException DISK when it cannot be told how much there is
     */
    public static Optional<Problem> lack(Disk disk, Path path, long needed, String purpose, String next) {
        long free = disk.usableBytes(path);
        return free >= needed
                ? Optional.empty()
                : Optional.of(new Problem(
                        ErrorCode.DISK,
                        path.toString(),
                        "has " + (free >> 20) + " MiB free",
                        Math.ceilDiv(needed, 1L << 20) + " MiB, for " + purpose,
                        next));
    }
}
