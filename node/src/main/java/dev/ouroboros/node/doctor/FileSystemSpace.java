package dev.ouroboros.node.doctor;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How much of a mounted file system is free, for a user without privileges.
 *
 * @param mount where it is mounted
 * @param bytes in all
 * @param inodes in all; 0 when it counts none
 */
record FileSystemSpace(String mount, long bytes, long freeBytes, long inodes, long freeInodes) {
    private static final double MEBIBYTE = 1 << 20;
    /** etcd allocates each file of its write-ahead log in full (SegmentSizeBytes in server/storage/wal): with less room it ends. */
    private static final long NEEDED_BYTES = 64L << 20;

    /** The kubelet evicts pods below this, by its defaults (evictionHard: nodefs.available, nodefs.inodesFree, imagefs.available). */
    private static final int NODE_PERCENT = 10;

    private static final int INODE_PERCENT = 5;
    private static final int IMAGE_PERCENT = 15;
    private static final Path IMAGES = Path.of("/var/lib/containerd");

    /** Reads a line of {@code df --block-size=1 --output=size,avail,itotal,iavail,target}. */
    static Optional<FileSystemSpace> parse(String output) {
        List<String> lines = output.strip().lines().toList();
        String[] words =
                lines.isEmpty() ? new String[0] : lines.getLast().strip().split("\\s+", 5);
        boolean known = lines.size() == 2 && words.length == 5 && words[0].matches("\\d+") && words[1].matches("\\d+");
        return known
                ? Optional.of(new FileSystemSpace(
                        words[4], Long.parseLong(words[0]), Long.parseLong(words[1]), count(words[2]), count(words[3])))
                : Optional.empty();
    }

    /** A file system that makes inodes as they are needed, btrfs for example, says 0 or a hyphen. */
    private static long count(String word) {
        return word.matches("\\d+") ? Long.parseLong(word) : 0;
    }

    boolean isFull() {
        return freeBytes < NEEDED_BYTES || (inodes > 0 && freeInodes == 0);
    }

    /**
     * Whether there is so little left that a kubelet evicts pods, or would if it watched this file system.
     *
     * @param places that are on it
     */
    boolean isFilling(List<Path> places) {
        int least = places.contains(IMAGES) ? IMAGE_PERCENT : NODE_PERCENT;
        return freeBytes * 100 < bytes * least || freeInodes * 100 < inodes * INODE_PERCENT;
    }

    @Override
    public String toString() {
        String space = String.format(
                Locale.ROOT,
                "%.0f of %.0f MiB are free (%d %%) on %s",
                freeBytes / MEBIBYTE,
                bytes / MEBIBYTE,
                bytes == 0 ? 0 : freeBytes * 100 / bytes,
                mount);
        return freeInodes * 100 < inodes * INODE_PERCENT
                ? space + ", and " + freeInodes + " of " + inodes + " inodes"
                : space;
    }
}
