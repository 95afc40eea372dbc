package dev.ouroboros.runtime.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.images.oci.BuiltImage;
import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.node.disk.FileSystemPower;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.runtime.containerd.TestContainerd;
import dev.ouroboros.runtime.cri.CriRuntime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Power cuts of the file system of a real containerd, right after an image was restored. */
@Tag("e2e")
@Timeout(180)
final class UnpackedImagePowerTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private Path node = Path.of("");
    private Path device = Path.of("");
    private TestContainerd containerd;
    private String image = "";

    @BeforeEach
    void collectAnArchivedImage(@TempDir Path directory) throws IOException {
        device = directory.resolve("disk.img");
        node = Files.createDirectory(directory.resolve("n"));
        run("mkfs.ext4", "-q", "-F", device.toString(), "256M");
        mount();
        containerd = TestContainerd.start(node);
        image = containerd.loadImage(BuiltImage.PAUSE);
        archive(() -> {}).save(image, node.resolve("image.tar"));
        containerd.removeImage(image);
        for (String left : containerd.ctr("images", "ls", "-q").lines().toList()) {
            containerd.ctr("images", "rm", "--sync", left);
        }
        sync();
    }

    @AfterEach
    void giveTheDiskBack() throws IOException, InterruptedException {
        containerd.close();
        run("umount", node.toString());
    }

    @Test
    void aRestoredImageRunsAfterAPowerCut() throws Exception {
        assertThat(archive(this::sync).restore(node.resolve("image.tar"))).isEqualTo(ImageArchive.Outcome.RESTORED);

        cutPower();

        assertThat(emptyPrograms()).isEmpty();
        String sandbox = containerd.runSandbox("pod", Map.of());
        containerd.runContainer(sandbox, "pod", "container", 0, image);
        assertThat(new CriRuntime(containerd.socket(), LIMIT).pods().getFirst().containers())
                .singleElement()
                .extracting(RuntimeContainer::state)
                .isEqualTo(RuntimeContainer.State.RUNNING);
    }

    /** That the test above can fail. */
    @Test
    void withoutTheSyncItsProgramsAreEmpty() throws Exception {
        archive(() -> {}).restore(node.resolve("image.tar"));

        cutPower();

        assertThat(emptyPrograms()).isNotEmpty();
    }

    private ImageArchive archive(Runnable sync) {
        return new ImageArchive(containerd.socket(), LIMIT, new LocalDisk(), InstantSource.system(), sync);
    }

    private void sync() {
        run("sync", "--file-system", node.toString());
    }

    private void cutPower() throws IOException, InterruptedException {
        FileSystemPower.cut(node);
        containerd.kill();
        run("umount", node.toString());
        mount();
        containerd.startAgain();
    }

    private void mount() {
        run("mount", "-t", "ext4", "-o", "loop,noatime", device.toString(), node.toString());
    }

    private List<Path> emptyPrograms() {
        Path snapshots = node.resolve("root/io.containerd.snapshotter.v1.native/snapshots");
        try (Stream<Path> files = Files.walk(snapshots)) {
            return files.filter(Files::isRegularFile)
                    .filter(Files::isExecutable)
                    .filter(file -> {
                        try {
                            return Files.size(file) == 0;
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    })
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void run(String... command) {
        new LocalProcesses().run(Command.of(command)).orThrow();
    }
}
