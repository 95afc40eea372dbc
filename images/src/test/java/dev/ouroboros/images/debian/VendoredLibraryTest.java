package dev.ouroboros.images.debian;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class VendoredLibraryTest {
    private static final String PLACE = "vendor/github.com/modern-go/reflect2/";
    private static final String PACKAGED = "usr/share/gocode/src/github.com/modern-go/reflect2/";

    @TempDir
    private Path root = Path.of("");

    private final Disk disk = new LocalDisk();

    private Path write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.resolveSibling(""));
        return Files.writeString(path, text);
    }

    @ParameterizedTest
    @CsvSource({
        "# github.com/modern-go/reflect2 v1.0.1,true",
        "# github.com/modern-go/reflect2 v1.0.1 => github.com/modern-go/reflect2 v1.0.1,true",
        "# github.com/modern-go/reflect2 v1.0.2,false",
        "# github.com/modern-go/reflect2 v1.0.10,false",
        "# github.com/modern-go/concurrent v1.0.1,false"
    })
    void isKnownByItsVersion(String line, boolean unfit) throws IOException {
        write("tree/vendor/modules.txt", "# a/b v1\na/b\n" + line + "\n");

        assertThat(VendoredLibrary.REFLECT2.isUnfitIn(disk, root.resolve("tree")))
                .isEqualTo(unfit);
    }

    @Test
    void isReplacedAsAWhole() throws IOException {
        write("tree/" + PLACE + "unsafe_map.go", "before");
        write("tree/" + PLACE + "go_above_17.go", "of 1.0.1 only");
        write("package/" + PACKAGED + "unsafe_map.go", "after");
        write("package/" + PACKAGED + "go_above_118.go", "new");
        write("package/" + PACKAGED + "relfect2_amd64.s", "assembly");

        VendoredLibrary.REFLECT2.replaceIn(disk, root.resolve("tree"), root.resolve("package"));

        assertThat(disk.list(root.resolve("tree/" + PLACE)))
                .containsExactlyInAnyOrder("unsafe_map.go", "go_above_118.go", "relfect2_amd64.s");
        assertThat(root.resolve("tree/" + PLACE + "unsafe_map.go")).hasContent("after");
    }

    @Test
    void aPackageWithoutSourcesIsNamed() throws IOException {
        write("tree/" + PLACE + "unsafe_map.go", "before");
        Files.createDirectories(root.resolve("package"));

        Refusal.of(
                () -> VendoredLibrary.REFLECT2.replaceIn(disk, root.resolve("tree"), root.resolve("package")),
                ErrorCode.PROCESS_FAILED,
                "Debian package golang-github-modern-go-reflect2-dev",
                "has no sources",
                "--binaries");
        assertThat(root.resolve("tree/" + PLACE + "unsafe_map.go")).hasContent("before");
    }
}
