package dev.ouroboros.node.kubelet;

import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.kubelet.KubeletLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FreeSpace;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** The kubelet programs that a node keeps, each in a directory that is named by the program's digest. */
public final class KubeletPrograms {
    private static final String PROGRAM = "rwxr-xr-x";
    private static final String DIRECTORY = "rwxr-xr-x";
    private static final String NAME = "kubelet";
    private static final int MOST_UNUSED = 3;
    /** Bytes that must be left for the node's logs and state: on a full disk the kubelet evicts its pods. */
    private static final long ROOM = 64L << 20;

    private final Disk disk;
    private final Path directory;

    /** @param directory {@link KubeletLayout#DIRECTORY} of the node, as we see it */
    public KubeletPrograms(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /**
     * The digest of a program, by which its directory is named.
     *
     * @throws ProblemException DISK when it cannot be read
     */
    public static String digest(Path program) {
        try (InputStream content = Files.newInputStream(program)) {
            return Sha256.hex(content);
        } catch (IOException e) {
            throw FileTrouble.of(program, "cannot be read", e);
        }
    }

    /** Where the program of this digest is, whether or not it exists. */
    public Path path(String digest) {
        return directory.resolve(KubeletLayout.PROGRAMS).resolve(digest).resolve(NAME);
    }

    /** The digests of all programs on this node. */
    public SortedSet<String> digests() {
        SortedSet<String> digests = new TreeSet<>(disk.list(directory.resolve(KubeletLayout.PROGRAMS)));
        digests.removeIf(digest -> disk.status(path(digest)).isEmpty());
        return digests;
    }

    /**
     * Removes programs that are not in use, the oldest first, and keeps those that were brought last: each takes a hundred megabytes, but the last
     * ones may be wished next, or gone back to.
     *
     * @param used digests of programs that stay in any case
     */
    public void removeFormer(Set<String> used) {
        digests().stream()
                .filter(digest -> !used.contains(digest))
                .sorted(Comparator.comparing(
                                (String digest) -> disk.modifiedAt(path(digest)).orElse(Instant.EPOCH))
                        .reversed())
                .skip(MOST_UNUSED)
                .forEach(digest ->
                        disk.deleteTree(path(digest).resolveSibling(".").normalize()));
    }

    /**
     * Brings a program to the node, if it is not there.
     *
     * @param digest of the program
     * @return whether it was brought
     * @throws ProblemException UNSUPPORTED_CLUSTER where the node was made without generations, DISK where it has no room for the program
     */
    public boolean bring(Path program, String digest) {
        if (disk.status(directory.resolve(KubeletLayout.GUARD)).isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.UNSUPPORTED_CLUSTER,
                    directory.toString(),
                    "this node was made by an ouro that knew no generations of kubelets",
                    "",
                    "run 'ouro host prepare' again, in a sandbox 'ouro reboot' and then 'ouro up'");
        }
        Path target = path(digest);
        if (disk.status(target).isPresent() && digest(target).equals(digest)) {
            return false;
        }
        FreeSpace.require(
                disk, directory, size(program) + ROOM, "the kubelet", "make room, then run the same command again");
        disk.createDirectories(target.resolveSibling("."), DIRECTORY);
        disk.copy(program, target, PROGRAM);
        return true;
    }

    private static long size(Path program) {
        try {
            return Files.size(program);
        } catch (IOException e) {
            throw FileTrouble.of(program, "cannot be read", e);
        }
    }
}
