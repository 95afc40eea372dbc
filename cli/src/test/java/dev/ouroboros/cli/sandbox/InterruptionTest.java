package dev.ouroboros.cli.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** With processes of their own, which a signal ends. */
final class InterruptionTest {
    /** Exit codes of the shell: 128 and the signal's number. */
    private static final int SIGINT = 130;

    @Test
    void whoIsInterruptedSaysSoAndNothingOfWhatFailsThen() throws Exception {
        Process process = start("sleep", "1000");
        assertThat(process.inputReader().readLine()).isEqualTo("at work");

        new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();

        String said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isEqualTo(SIGINT);
        assertThat(said).isEqualTo("interrupted in the middle\n");
    }

    @Test
    void workThatEndsByItselfSaysNothing() throws Exception {
        Process process = start("true");

        String said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        assertThat(said).isEqualTo("done\n");
    }

    private static Process start(String... work) throws IOException {
        // A shell lets what it starts in the background ignore the signal, and a JVM leaves it so.
        List<String> command = new ArrayList<>(List.of(
                "env",
                "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Work.class.getName()));
        command.addAll(List.of(work));
        return new ProcessBuilder(command).start();
    }

    /** Waits for a program, which a signal to both would end too. */
    static final class Work {
        private Work() {}

        public static void main(String[] work) throws IOException, InterruptedException {
            PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
            try (Interruption _ = Interruption.saying(() -> "interrupted in the middle", err)) {
                Process program = new ProcessBuilder(Arrays.asList(work)).start();
                Runtime.getRuntime().addShutdownHook(new Thread(program::destroyForcibly));
                System.out.println("at work");
                program.waitFor();
            }
            err.println("done");
        }
    }
}
