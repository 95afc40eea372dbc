package dev.ouroboros.sandbox;

import java.nio.file.Path;

/**
 * Where a node of a sandbox keeps its files on the host. Those of the first one are in the directory of the sandbox itself.
 *
 * @param sandbox the files of its sandbox
 * @param node the name of the node
 */
public record NodePaths(SandboxPaths sandbox, String node) {
    private static final String DISK_IMAGE = "disk.img";

    public Path directory() {
        return node.equals(sandbox.name().node())
                ? sandbox.directory()
                : sandbox.nodes().resolve(node);
    }

    /** The node's disk, a sparse file with an ext4 file system. */
    public Path diskImage() {
        return directory().resolve(DISK_IMAGE);
    }

    /** Mount point that only process 1 of the node uses, while it lays out its file system. */
    public Path staging() {
        return directory().resolve("staging");
    }

    public Path logs() {
        return directory().resolve("logs");
    }
}
