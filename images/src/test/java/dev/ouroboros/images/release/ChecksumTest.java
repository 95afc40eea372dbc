package dev.ouroboros.images.release;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ChecksumTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void aDownloadThatIsGoneIsNotOneOfAnotherContent() throws IOException {
        String published = FileServer.sha256("abc".getBytes(StandardCharsets.UTF_8));
        Checksum checksum = Checksum.parse(published + "  kubelet", "kubelet").orElseThrow();
        Path file = Files.writeString(directory.resolve("kubelet"), "abc");
        assertThat(checksum.matches(file)).isTrue();
        Files.delete(file);

        Refusal.of(() -> checksum.matches(file), ErrorCode.DISK)
                .where(file)
                .whatStartsWith("cannot be read: no such file")
                .nextContains("run the same command again");
    }
}
