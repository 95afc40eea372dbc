package dev.ouroboros.sandbox.node;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The disk of a node: a sparse file with an ext4 file system. A loop device makes it lose what was not synced, as a disk does. */
public final class NodeDisk {
    /** Space is taken from the host as it is used. */
    public static final long SIZE = 20L << 30;

    private final Processes processes;

    public NodeDisk(Processes processes) {
        this.processes = processes;
    }

    /** Makes the disk unless it exists. It gets its name when it is complete. */
    public void create(Path image) {
        if (Files.exists(image)) {
            return;
        }
        Path unfinished = image.resolveSibling(image.getFileName() + ".new");
        try {
            Files.deleteIfExists(unfinished);
            try (RandomAccessFile file = new RandomAccessFile(unfinished.toFile(), "rw")) {
                file.setLength(SIZE);
            }
            format(unfinished);
            Files.move(unfinished, image, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new ProblemException(
                    new Problem(ErrorCode.DISK, image.toString(), "cannot be made: " + e, "", ""), e);
        }
    }

    /** Nothing is reserved for root, who is the only user, and the inode tables are written when they are needed. */
    private void format(Path file) {
        processes
                .run(Command.of(
                        "mkfs.ext4",
                        "-q",
                        "-F",
                        "-m",
                        "0",
                        "-E",
                        "lazy_itable_init=1,lazy_journal_init=1,nodiscard",
                        file.toString()))
                .orThrow();
    }
}
