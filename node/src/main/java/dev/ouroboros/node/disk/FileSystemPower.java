package dev.ouroboros.node.disk;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.libc.Libc;
import dev.ouroboros.node.libc.SystemCallFailed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Takes the power away from a mounted file system, as its disk would lose it: the page cache and the uncommitted part of the journal are lost, and
 * every later read or write fails. To kill processes is no power cut: what they wrote survives in the page cache.
 *
 * <p>The file system stays dead until it has been unmounted everywhere; the next mount replays its journal. What the kernel had handed to the device
 * counts as written, although a real disk could lose that too until it was flushed.
 *
 * <p>A sync that is under way during the cut may be answered with success although its data are lost (seen on Linux 6.18 with ext4 and preallocated
 * blocks, as those of etcd's log are). On a machine without power nobody would receive that answer: the caller must make sure that nobody does.
 */
public final class FileSystemPower {
    private FileSystemPower() {}

    /**
     * Cuts the power. When this returns, no write can reach the device any more.
     *
     * @param directory any directory of the file system; all of its mounts die
     * @throws ProblemException DISK when this kind of file system cannot do it, when we may not, or when it is the one that this machine runs from
     */
    public static void cut(Path directory) {
        cut(directory, Path.of("/"));
    }

    static void cut(Path directory, Path machinesRoot) {
        try {
            if (device(directory).equals(device(machinesRoot))) {
                throw refused(directory, new IOException("it is this machine's root file system"));
            }
            new Libc().shutDownFileSystem(directory);
        } catch (SystemCallFailed | IOException e) {
            throw refused(directory, e);
        }
    }

    private static Object device(Path directory) throws IOException {
        return Files.getAttribute(directory, "unix:dev");
    }

    private static ProblemException refused(Path directory, Exception reason) {
        return new ProblemException(
                new Problem(
                        ErrorCode.DISK,
                        directory.toString(),
                        "its file system cannot be shut down: " + reason.getMessage(),
                        "a directory of a mounted ext4, and root",
                        "run it as root, on a sandbox that 'ouro up' made"),
                reason);
    }
}
