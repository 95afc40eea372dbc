package dev.ouroboros.node.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Power cuts of a real ext4: what they take, and what our durable writes keep. Needs root. */
@Tag("e2e")
final class FileSystemPowerTest {
    private static final int CUTS = 10;

    private final Disk disk = new LocalDisk();
    private LoopDisk loop;

    @BeforeEach
    void mount(@TempDir Path directory) throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "needs root");
        loop = new LoopDisk(directory);
    }

    @AfterEach
    void unmount() {
        loop.close();
    }

    @Test
    void whatWasNotSyncedIsLostAndWhatWasIsKept() throws IOException {
        Path synced = loop.place().resolve("synced");
        Path unsynced = loop.place().resolve("unsynced");
        write(synced, true);
        write(unsynced, false);
        assertThat(unsynced).hasContent("content");

        loop.cutPower();
        loop.restorePower();

        assertThat(synced).hasContent("content");
        assertThat(content(unsynced)).isEmpty();
    }

    @Test
    void afterTheCutNothingCanBeWrittenOrSynced() throws IOException {
        try (FileChannel open =
                FileChannel.open(loop.place().resolve("open"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            open.write(ByteBuffer.wrap(new byte[] {1}));

            loop.cutPower();

            assertThatThrownBy(() -> open.force(true)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> disk.write(loop.place().resolve("new"), new byte[0], Disk.OWNER_ONLY_FILE))
                    .isInstanceOf(ProblemException.class);
        }
        loop.restorePower();
        assertThat(loop.place().resolve("new")).doesNotExist();
    }

    /** What LocalDisk promises: the file has one whole content, and never an older one than was acknowledged. */
    @Test
    void aDurableWriteIsOldOrNewWheneverThePowerIsCut() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Path file = loop.place().resolve("state");
        int written = 0;
        for (int cut = 0; cut < CUTS; cut++) {
            AtomicInteger acknowledged = new AtomicInteger(written);
            FutureTask<Integer> writer = new FutureTask<>(replaceUntilItFails(file, acknowledged));
            Thread.ofPlatform().start(writer);
            while (acknowledged.get() == written) {
                Thread.onSpinWait();
            }
            TimeUnit.MICROSECONDS.sleep(random.nextInt(20_000));
            loop.cutPower();
            int attempted = writer.get();
            loop.restorePower();

            String text = disk.readText(file).orElse("");
            int number = Integer.parseInt(text.substring(0, Math.max(1, text.indexOf('\n'))));
            assertThat(text).as("seed %d, cut %d", seed, cut).isEqualTo(numbered(number));
            assertThat(number).as("seed %d, cut %d", seed, cut).isBetween(acknowledged.get(), attempted);
            written = number;
        }
    }

    @Test
    void thisMachinesRootFileSystemIsNotCut() throws IOException {
        Path below = Files.createDirectory(loop.place().resolve("usr"));

        assertThatThrownBy(() -> FileSystemPower.cut(below, loop.place()))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems().getFirst().code()).isEqualTo(ErrorCode.DISK))
                .hasMessageContaining("root file system");
    }

    @Test
    void aFileSystemThatCannotLoseItsPowerIsNamed() {
        assertThatThrownBy(() -> FileSystemPower.cut(Path.of("/proc")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("/proc")
                .hasMessageContaining("FS_IOC_SHUTDOWN");
    }

    /** Returns the number whose write failed. */
    private Callable<Integer> replaceUntilItFails(Path file, AtomicInteger acknowledged) {
        return () -> {
            int number = acknowledged.get();
            while (true) {
                number++;
                try {
                    disk.write(file, numbered(number).getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
                } catch (ProblemException e) {
                    return number;
                }
                acknowledged.set(number);
            }
        };
    }

    /** Longer than a block, so that a part of it would be seen. */
    private static String numbered(int number) {
        return number + "\n" + Integer.toString(number).repeat(10_000);
    }

    private static void write(Path file, boolean sync) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap("content".getBytes(StandardCharsets.UTF_8)));
            if (sync) {
                channel.force(true);
            }
        }
    }

    private static String content(Path file) throws IOException {
        return Files.exists(file) ? Files.readString(file) : "";
    }
}
