package dev.ouroboros.images.debian;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A build with a {@code make} of ours in the place of Go's commands, which come first on its path. */
final class KubernetesBuildTest {
    @TempDir
    private Path work = Path.of("");

    private final Disk disk = new LocalDisk();

    @Test
    void aBuildThatFailsEndsWithTheLastThatItSaid() {
        Path programs = work.resolve("go/bin");
        write(programs.resolve("make"), """
                #!/bin/sh
                for line in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do echo "vendor/library$line"; done
                echo "cmd/kubelet/kubelet.go:1:1: expected 'package'" >&2
                echo "make: *** [all] Error 1"
                exit 2
                """);
        write(work.resolve("tree/vendor/modules.txt"), "");

        KubernetesBuild build = new KubernetesBuild(new WithoutDpkg(), disk, () -> Instant.EPOCH, work);
        assertThatThrownBy(() -> build.run(
                        work.resolve("tree"),
                        SourceVersion.parse("1.20.2-1"),
                        programs,
                        work.resolve("guard"),
                        work.resolve("bin"),
                        _ -> {}))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems())
                                .singleElement()
                                .satisfies(problem -> {
                                    assertThat(problem.code()).isEqualTo(ErrorCode.PROCESS_FAILED);
                                    assertThat(problem.where())
                                            .isEqualTo("build of Debian's kubernetes source package");
                                    assertThat(problem.what())
                                            .startsWith("exit code 2 after 0m00s: vendor/library2 | vendor/library3 | ")
                                            .endsWith("vendor/library14"
                                                    + " | cmd/kubelet/kubelet.go:1:1: expected 'package'"
                                                    + " | make: *** [all] Error 1");
                                    assertThat(problem.next()).isEqualTo("run it again; it begins anew");
                                }));
        assertThat(work.resolve("bin")).doesNotExist();
    }

    private void write(Path file, String text) {
        disk.createDirectories(file.resolveSibling(""), "rwxr-xr-x");
        disk.write(file, text.getBytes(StandardCharsets.UTF_8), "rwxr-xr-x");
    }

    /** The programs of this machine, and a source package's date, which only dpkg-dev can read. */
    private static final class WithoutDpkg implements Processes {
        private final LocalProcesses real = new LocalProcesses();

        @Override
        public Result run(Command command) {
            return command.arguments().getFirst().equals("dpkg-parsechangelog")
                    ? new Result(command.describe(), 0, "1700000000\n", "")
                    : real.run(command);
        }

        @Override
        public Result stream(Command command, Consumer<String> line) {
            return real.stream(command, line);
        }

        @Override
        public int attach(Command command) {
            throw new AssertionError("not interactive");
        }
    }
}
