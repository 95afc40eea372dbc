package dev.ouroboros.sandbox.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.testing.ModelDisk;
import dev.ouroboros.sandbox.testing.Programs;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

/** What a machine lacks is said at once. What this one lacks besides is said too, and nobody's concern here. */
final class RequirementsTest {
    private static final Programs NO_MODULES = command -> {
        throw new Programs.Failure(
                "modprobe: FATAL: Module " + command.arguments().getLast() + " not found");
    };

    private static AbstractThrowableAssert<?, ?> assertChecked(Disk disk, Path place) {
        return assertThatThrownBy(() -> new Requirements(NO_MODULES, disk).check(place, 1));
    }

    private static Consumer<Throwable> names(Problem problem) {
        return failure -> assertThat(((ProblemException) failure).problems()).contains(problem);
    }

    @Test
    void aKernelWithoutTheFileSystemsOfANodeIsRefused() {
        assertChecked(new ModelDisk(), Path.of("/var/lib/ouroboros"))
                .satisfies(names(new Problem(
                        ErrorCode.MISSING_TOOL,
                        "the kernel",
                        "has no file system overlay",
                        "",
                        "use a kernel as Debian's, which has it")))
                .satisfies(names(new Problem(
                        ErrorCode.MISSING_TOOL,
                        "the kernel",
                        "has no file system ext4",
                        "",
                        "use a kernel as Debian's, which has it")));
    }

    @Test
    void aMachineWithoutMemoryHearsHowMuchIsNeeded() {
        ModelDisk disk = new ModelDisk();
        disk.tamper(Path.of("/proc/meminfo"), "MemTotal: 2048000 kB\nMemAvailable: 1048576 kB\n", Disk.OWNER_ONLY_FILE);

        assertChecked(disk, Path.of("/var/lib/ouroboros"))
                .satisfies(names(new Problem(
                        ErrorCode.MISSING_TOOL,
                        "memory of this machine",
                        "1024 MiB are available",
                        "1536 MiB",
                        "end something, then run this again")));
    }

    /** Nothing can be written to the kernel's own file system. */
    @Test
    void aPlaceWithoutSpaceHearsHowMuchIsNeeded() {
        assertChecked(new LocalDisk(), Path.of("/proc/none"))
                .satisfies(names(new Problem(
                        ErrorCode.DISK,
                        "/proc/none",
                        "has 0 MiB free",
                        "3072 MiB, for its nodes",
                        "make room, then run this again")));
    }
}
