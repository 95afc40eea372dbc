package dev.ouroboros.sandbox.node;

import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.nio.file.Files;
import java.nio.file.Path;

/** The disk of a node: a sparse file with an ext4 file system. A loop device makes it lose what was not synced, as a disk does. */
public final class NodeDisk {
    /** Space is taken from the host as it is used. */
    private static final String SIZE = "20G";

    private final Processes processes;
    private final Disk disk;

    public NodeDisk(Processes processes, Disk disk) {
        this.processes = processes;
        this.disk = disk;
    }

    /** Makes the disk unless it exists. It gets its name when it is complete. */
    public void create(Path image) {
        if (Files.exists(image)) {
            return;
        }
        Path unfinished = image.resolveSibling(image.getFileName() + ".new");
        disk.delete(unfinished);
        // Nothing is reserved for root, who is the only user; inode tables are written when they are needed.
        processes
                .run(Command.of(
                        "mkfs.ext4",
                        "-q",
                        "-F",
                        "-m",
                        "0",
                        "-E",
                        "lazy_itable_init=1,lazy_journal_init=1,nodiscard",
                        unfinished.toString(),
                        SIZE))
                .orThrow();
        disk.rename(unfinished, image);
    }
}
