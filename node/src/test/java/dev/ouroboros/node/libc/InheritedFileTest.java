package dev.ouroboros.node.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ProblemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That a descriptor of somebody else's is closed is shown with a real {@code flock} (keeper's LockedSuccessionTest). */
final class InheritedFileTest {
    @Test
    void closesNothingOfAFileThatNobodyHasOpen(@TempDir Path directory) throws Exception {
        assertThat(InheritedFile.closeAll(Files.createFile(directory.resolve("file"))))
                .isZero();
    }

    @Test
    void saysThatThereIsNoSuchFile(@TempDir Path directory) {
        Path missing = directory.resolve("missing");

        assertThatThrownBy(() -> InheritedFile.closeAll(missing))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("cannot be looked for among the open files")
                .hasMessageContaining(missing.toString());
    }
}
