package dev.ouroboros.model.problem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** As the JDK words what Linux refused. */
final class FileTroubleTest {
    private static String describe(IOException refusal) {
        return FileTrouble.of(Path.of("/f"), "cannot be written", refusal).describe();
    }

    @Test
    void saysWhatHelpsAgainstWhatTheSystemSaid() {
        assertThat(describe(new NoSuchFileException("/f")))
                .isEqualTo("/f: cannot be written: no such file: /f; put it back, and run the same command again");
        assertThat(describe(new AccessDeniedException("/f")))
                .startsWith("/f: cannot be written: permission denied: /f; run it as root (sudo ouro ...)");
        assertThat(FileTrouble.of("/proc/x", FileTrouble.NOT_CREATED, new NoSuchFileException("/proc/x"))
                        .describe())
                .contains("; choose a place where a directory can be made");
        assertThat(describe(new FileSystemException("/f", null, "No space left on device")))
                .contains("No space left on device; make room there (df -h, df -i)");
        assertThat(describe(new FileSystemException("/f", null, "Read-only file system")))
                .contains("mount it for writing");
        assertThat(describe(new NotDirectoryException("/f")))
                .isEqualTo("/f: cannot be written: not a directory: /f; see what is in its place (ls -ld),"
                        + " and move that away");
        assertThat(describe(new DirectoryNotEmptyException("/f")))
                .isEqualTo("/f: cannot be written: not empty: /f; see what is in its place (ls -ld),"
                        + " and move that away");
        assertThat(describe(new IOException("Is a directory"))).contains("see what is in its place (ls -ld)");
        assertThat(describe(new IOException("Input/output error")))
                .contains("what the kernel says of the disk (dmesg)");
        assertThat(describe(new IOException())).startsWith("/f: cannot be written: IOException; see what the kernel");
    }

    @Test
    void aProblemWithoutAWayOutIsADefect() {
        assertThatThrownBy(() -> new Problem(ErrorCode.DISK, "/f", "is bad", "good", " "))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("what to do next: is bad");
    }
}
