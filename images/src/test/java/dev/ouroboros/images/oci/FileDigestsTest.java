package dev.ouroboros.images.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileDigestsTest {
    private static final String OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    @TempDir
    private Path directory = Path.of("");

    private final Disk disk = new LocalDisk();
    private Path file = Path.of("");
    private Path memory = Path.of("");

    @BeforeEach
    void write() throws IOException {
        file = Files.writeString(directory.resolve("a file"), "abc");
        memory = directory.resolve("memory");
    }

    @Test
    void remembersADigestInTheNextRun() throws IOException {
        FileDigests first = later();
        assertThat(first.of(file)).isEqualTo(OF_ABC);
        first.save();
        String changedMemory = Files.readString(memory).replace(OF_ABC, "0".repeat(64));
        Files.writeString(memory, changedMemory);

        assertThat(later().of(file)).isEqualTo("0".repeat(64));
    }

    @Test
    void readsAgainWhatChangedWithinItsSizeAndModificationTime() throws IOException {
        FileDigests first = later();
        first.of(file);
        first.save();
        FileTime modified = Files.getLastModifiedTime(file);
        Files.writeString(file, "abd");
        Files.setLastModifiedTime(file, modified);

        assertThat(later().of(file)).isNotEqualTo(OF_ABC);
    }

    @Test
    void doesNotRememberWhatChangedJustNow() {
        FileDigests digests = FileDigests.load(disk, InstantSource.system(), memory);

        assertThat(digests.of(file)).isEqualTo(OF_ABC);
        digests.save();

        assertThat(memory).doesNotExist();
    }

    @Test
    void forgetsFilesThatAreGoneAndIgnoresWhatItCannotRead() throws IOException {
        Files.writeString(memory, "torn\n" + "1".repeat(64) + " not an identity\n");
        FileDigests digests = later();
        digests.of(file);
        Path other = Files.writeString(directory.resolve("other"), "x");
        digests.of(other);
        Files.delete(other);

        digests.save();

        assertThat(Files.readAllLines(memory)).singleElement().asString().endsWith("/a file");
    }

    @Test
    void namesTheFileThatIsGone() throws IOException {
        Files.delete(file);

        assertThatThrownBy(() -> later().of(file))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems())
                                .singleElement()
                                .satisfies(problem -> {
                                    assertThat(problem.code()).isEqualTo(ErrorCode.DISK);
                                    assertThat(problem.where()).isEqualTo(file.toString());
                                    assertThat(problem.what()).startsWith("cannot be read: no such file");
                                    assertThat(problem.next()).startsWith("put it back");
                                }));
    }

    private FileDigests later() {
        return FileDigests.load(disk, () -> Instant.now().plusSeconds(10), memory);
    }
}
