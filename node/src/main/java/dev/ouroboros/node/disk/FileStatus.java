package dev.ouroboros.node.disk;

/**
 * What the file system says of a file.
 *
 * @param permissions as in {@code ls -l}, for example {@code rw-------}
 * @param group number of the owning group
 */
public record FileStatus(Kind kind, String permissions, int group) {
    public enum Kind {
        FILE,
        DIRECTORY,
        /** A symbolic link, a device, a socket. */
        OTHER
    }
}
