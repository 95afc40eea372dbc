package dev.ouroboros.images.oci;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What keeps Jib from making an archive, and what is said then. */
final class JibArchiverTest {
    @TempDir
    private Path directory = Path.of("");

    private final JibArchiver archiver = new JibArchiver(new LocalDisk(), Architecture.AMD64);

    private void assertFails(String tag, ErrorCode code, String what, String next, ImageLayer... layers) {
        ImageRecipe recipe = new ImageRecipe(
                BuiltImage.ETCD,
                tag,
                "a test",
                List.of(layers),
                Optional.empty(),
                List.of("/usr/local/bin/etcd"),
                new TreeMap<>());
        Refusal.of(() -> archiver.archive(recipe, "abc123", directory.resolve("work")), code)
                .where("image localhost/ouroboros/etcd:" + tag)
                .whatStartsWith("cannot be built: " + what)
                .nextContains(next);
    }

    @Test
    void aProgramThatIsGoneIsNamed() {
        Path etcd = directory.resolve("etcd");
        assertFails(
                "3.6.9",
                ErrorCode.DISK,
                "no such file: " + etcd,
                "put it back",
                ImageLayer.ofPrograms("etcd", Map.of("/usr/local/bin/etcd", etcd), Map.of()));
    }

    @Test
    void aFileInThePlaceOfTheWorkDirectoryIsNamed() throws IOException {
        Files.writeString(directory.resolve("work"), "in the way");
        assertFails("3.6.9", ErrorCode.DISK, directory.resolve("work").toString(), "see what is in its place (ls -ld)");
    }

    @Test
    void aVersionThatCannotBeATagIsNoTroubleOfTheDisk() {
        assertFails(
                "3.6.9+own1",
                ErrorCode.UNSUPPORTED_VERSION,
                "its version cannot be the tag of an image",
                "without '+'");
    }

    @Test
    void anInterruptedBuildSaysSoAndStaysInterrupted() {
        Thread.currentThread().interrupt();
        try {
            assertFails("3.6.9", ErrorCode.TIMEOUT, "interrupted", "run the same command again");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }
}
