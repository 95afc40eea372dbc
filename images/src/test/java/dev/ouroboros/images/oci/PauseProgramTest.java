package dev.ouroboros.images.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the program: it must do on a real kernel what a pod needs of it. */
final class PauseProgramTest {
    @TempDir
    private Path directory = Path.of("");

    private Path program = Path.of("");

    @BeforeEach
    void write() throws IOException {
        assumeTrue(System.getProperty("os.arch").equals("amd64"));
        program = Files.write(directory.resolve("pause"), PauseProgram.bytes());
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void isSmallerThanAPage() {
        assertThat(PauseProgram.bytes()).hasSizeLessThan(512);
    }

    @Test
    void endsOnSigterm() throws Exception {
        assertEndsWith("TERM");
    }

    @Test
    void endsOnSigint() throws Exception {
        assertEndsWith("INT");
    }

    @Test
    void staysOnOtherSignals() throws Exception {
        Process pause = started();
        try {
            signal(pause, "CHLD");
            signal(pause, "CONT");
            assertThat(pause.waitFor(200, TimeUnit.MILLISECONDS)).isFalse();
        } finally {
            pause.destroyForcibly().waitFor();
        }
    }

    /** The shell leaves a child that ends later, then becomes the program by exec: nobody else can reap that child. */
    @Test
    void reapsChildren() throws Exception {
        Process pause =
                new ProcessBuilder("sh", "-c", "exec 3<&0; sh -c 'read line' <&3 & echo $!; exec " + program).start();
        try (BufferedReader output = pause.inputReader()) {
            long child = Long.parseLong(output.readLine());
            awaitProgram(pause);
            assertThat(ProcessHandle.of(child)).isPresent();

            pause.outputWriter().close();

            await(() -> !Files.exists(Path.of("/proc/" + child)));
            assertThat(pause.isAlive()).isTrue();
        } finally {
            pause.destroyForcibly().waitFor();
        }
    }

    /** The kernel does not give PID 1 of a namespace a signal for which it has neither a handler nor a block. */
    @Test
    @Tag("e2e")
    void endsOnSigtermAsTheFirstProcessOfANamespace() throws Exception {
        Process unshare = new ProcessBuilder("unshare", "--pid", "--fork", "--kill-child", program.toString()).start();
        try {
            await(() -> unshare.children().findAny().isPresent());
            ProcessHandle pause = unshare.children().findAny().orElseThrow();
            await(() -> isWaiting(pause.pid()));

            new ProcessBuilder("kill", "-TERM", Long.toString(pause.pid()))
                    .start()
                    .waitFor();

            assertThat(unshare.waitFor(5, TimeUnit.SECONDS)).isTrue();
            assertThat(unshare.exitValue()).isZero();
        } finally {
            unshare.destroyForcibly().waitFor();
        }
    }

    private void assertEndsWith(String signal) throws Exception {
        Process pause = started();
        signal(pause, signal);
        assertThat(pause.waitFor(5, TimeUnit.SECONDS)).isTrue();
        assertThat(pause.exitValue()).isZero();
    }

    private Process started() throws Exception {
        Process pause = new ProcessBuilder(List.of(program.toString())).start();
        awaitProgram(pause);
        return pause;
    }

    /** It is ready when it waits in rt_sigtimedwait, system call 128: from then on a signal is taken, not obeyed. */
    private static void awaitProgram(Process pause) throws Exception {
        await(() -> isWaiting(pause.pid()));
    }

    private static boolean isWaiting(long process) throws IOException {
        return Files.readString(Path.of("/proc/" + process + "/syscall")).startsWith("128 ");
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private static void await(Condition condition) throws Exception {
        for (int attempt = 0; attempt < 500 && !condition.holds(); attempt++) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        assertThat(condition.holds()).isTrue();
    }

    private static void signal(Process process, String name) throws Exception {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }
}
