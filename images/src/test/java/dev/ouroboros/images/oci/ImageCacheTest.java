package dev.ouroboros.images.oci;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ImageCacheTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void anArchiveThatIsRemovedWhileItIsListedIsNamed() throws IOException {
        CacheDirectory cache = new CacheDirectory(directory);
        Files.createDirectories(cache.images());
        Path archive = Files.writeString(cache.images().resolve("etcd_3.6.9_abc123.tar"), "layers");
        assertThat(new ImageCache(new LocalDisk(), cache).list())
                .singleElement()
                .satisfies(image -> assertThat(image.bytes()).isEqualTo(6));

        ImageCache losing = new ImageCache(LosingDisk.after("readText", archive), cache);
        Refusal.of(losing::list, ErrorCode.DISK)
                .where(archive)
                .whatStartsWith("cannot be read: no such file")
                .nextContains("run the same command again");
    }
}
