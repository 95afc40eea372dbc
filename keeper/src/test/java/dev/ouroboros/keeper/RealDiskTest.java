package dev.ouroboros.keeper;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole keeper on a file system of its own that fails as the kernel says. Needs root. */
@Tag("e2e")
final class RealDiskTest {
    private static final int BLOCK = 4096;

    private Path mounted = Path.of("");
    private KeeperWorld world;
    private Optional<String> before = Optional.empty();

    @BeforeEach
    void begin(@TempDir Path directory) throws Exception {
        mounted = Files.createDirectory(directory.resolve("disk"));
        run("mount", "-t", "tmpfs", "-o", "size=2m", "none", mounted.toString());
        // mount(8) makes no file system read-only on which a file is open for writing; a disk that fails does.
        world = new KeeperWorld(mounted, Files.createDirectory(directory.resolve("locks")));
        world.settle();
        before = world.lastGood();
    }

    @AfterEach
    void end() throws Exception {
        world.close();
        run("umount", mounted.toString());
    }

    @Test
    void aFullDiskCostsNothingThatWasProven() throws Exception {
        Path filler = mounted.resolve("filler");
        fill(filler);
        survives("No space left on device");

        Files.delete(filler);
        eventually("the new one is proven", () -> !world.lastGood().equals(before));
    }

    @Test
    void aReadOnlyDiskCostsNothingThatWasProven() throws Exception {
        run("mount", "-o", "remount,ro", mounted.toString());
        survives("Read-only file system");

        run("mount", "-o", "remount,rw", mounted.toString());
        eventually("the new one is proven", () -> !world.lastGood().equals(before));
    }

    private void survives(String error) throws InterruptedException {
        world.secret("key", "second");
        eventually("it tries", () -> world.ask("/state").body().contains(error));

        assertThat(world.lastGood()).isEqualTo(before);
        assertThat(world.ask("/healthz").statusCode()).isEqualTo(200);
        assertThat(world.condition()).isEqualTo("SERVING");
    }

    private static void fill(Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            while (true) {
                out.write(new byte[BLOCK]);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
        }
    }

    private static void run(String... command) {
        new LocalProcesses().run(Command.of(command)).orThrow();
    }
}
