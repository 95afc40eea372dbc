package dev.ouroboros.images.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.images.cache.CacheDirectory;
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
        assertThatThrownBy(losing::list)
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems())
                                .singleElement()
                                .satisfies(problem -> {
                                    assertThat(problem.code()).isEqualTo(ErrorCode.DISK);
                                    assertThat(problem.where()).isEqualTo(archive.toString());
                                    assertThat(problem.what()).startsWith("cannot be read: no such file");
                                    assertThat(problem.next()).contains("run the same command again");
                                }));
    }
}
