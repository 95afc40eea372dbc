package dev.ouroboros.node.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A small ext4 on a loop device, mounted; its power can be cut and restored. */
final class LoopDisk implements AutoCloseable {
    private final Processes processes = new LocalProcesses();
    private final Path image;
    private final Path place;

    /** @param directory in which image and mount point are made */
    LoopDisk(Path directory) throws IOException {
        image = directory.resolve("disk.img");
        place = Files.createDirectory(directory.resolve("mounted"));
        run("mkfs.ext4", "-q", "-F", image.toString(), "64M");
        mount();
    }

    Path place() {
        return place;
    }

    void cutPower() {
        FileSystemPower.cut(place);
    }

    /** Gives up the dead file system, and mounts what is on its device, as a machine does when it boots. */
    void restorePower() {
        unmount();
        mount();
    }

    private void mount() {
        run("mount", "-t", "ext4", "-o", "loop,noatime", image.toString(), place.toString());
    }

    private void unmount() {
        run("umount", place.toString());
        // The kernel gives the loop device back with its last mount: a second mount of the same one would show the same
        // dead one.
        assertThat(run("losetup", "--associated", image.toString())).isEmpty();
    }

    private String run(String... command) {
        return processes.run(Command.of(command)).orThrow().strip();
    }

    @Override
    public void close() {
        unmount();
    }
}
