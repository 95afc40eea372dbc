package dev.ouroboros.node.disk;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Room on a file system, for which whoever is about to write much asks first: what does not fit is refused before anything is changed. */
public final class FreeSpace {
    private FreeSpace() {}

    /**
     * Requires it.
     *
     * @param path in the file system; it need not be there
     * @param needed bytes
     * @param purpose what they are for, as in {@code the snapshot}
     * @param next what a person can do
     * @throws ProblemException DISK when there is less, or nobody can say
     */
    public static void require(Disk disk, Path path, long needed, String purpose, String next) {
        lack(disk, path, needed, purpose, next).ifPresent(problem -> {
            throw new ProblemException(List.of(problem));
        });
    }

    /**
     * What is wrong where there is less; the parameters are those of {@link #require}.
     *
     * @throws ProblemException DISK when nobody can say how much there is
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
