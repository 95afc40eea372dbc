package dev.ouroboros.keeper.succession;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Successor;
import dev.ouroboros.model.evidence.Evidence;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real {@code flock} and a JVM a keeper, as in the containers. */
@Timeout(60)
final class LockedSuccessionTest {
    @TempDir
    private Path directory;

    @Test
    void theNextOneStartsOnlyWhenItIsAdmittedAndActsOnlyWhenTheFirstHasEnded() throws Exception {
        try (Copy first = new Copy(directory, true)) {
            assertThat(first.ask("begin")).isEqualTo("true");
            assertThat(first.ask("successor"))
                    .isEqualTo(Evidence.known(Successor.WAITS).toString());
            assertThat(queueIsFree()).isFalse();

            assertThat(first.ask("admit")).isEqualTo("done");
            assertThat(queueIsFree()).isTrue();
            assertThat(first.ask("successor"))
                    .isEqualTo(Evidence.known(Successor.ADMITTED).toString());

            try (Copy next = new Copy(directory, false)) {
                assertThat(next.ask("begin")).isEqualTo("false");
                assertThat(first.ask("successor"))
                        .isEqualTo(Evidence.known(Successor.ADMITTED).toString());
                assertThat(next.ask("tell")).isEqualTo("done");
                assertThat(first.ask("successor"))
                        .isEqualTo(Evidence.known(Successor.DECIDES).toString());
                assertThat(first.ask("begin")).as("it acts on").isEqualTo("true");

                first.end();
                assertThat(next.ask("begin")).isEqualTo("true");
                assertThat(queueIsFree()).as("the next one holds it").isFalse();
            }
        }
        assertThat(queueIsFree()).isTrue();
    }

    @Test
    void aSuccessorThatEndedIsNone() throws Exception {
        try (Copy first = new Copy(directory, true)) {
            first.ask("begin");
            first.ask("admit");
            try (Copy next = new Copy(directory, false)) {
                next.ask("begin");
                next.ask("tell");
                assertThat(first.ask("successor"))
                        .isEqualTo(Evidence.known(Successor.DECIDES).toString());
            }
            assertThat(first.ask("successor"))
                    .isEqualTo(Evidence.known(Successor.ADMITTED).toString());
        }
    }

    private boolean queueIsFree() throws IOException, InterruptedException {
        return new ProcessBuilder(
                                "flock", "--nonblock", directory.resolve("lock").toString(), "true")
                        .start()
                        .waitFor()
                == 0;
    }

    /** A process behind {@code flock}. */
    private static final class Copy implements AutoCloseable {
        private final Process process;
        private final BufferedReader answers;

        Copy(Path directory, boolean staticCopy) throws IOException {
            process = new ProcessBuilder(
                            "flock",
                            "--no-fork",
                            directory.resolve("lock").toString(),
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "--enable-native-access=ALL-UNNAMED",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Main.class.getName(),
                            directory.toString(),
                            Boolean.toString(staticCopy))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            answers = process.inputReader();
        }

        String ask(String what) throws IOException {
            process.outputWriter().write(what + "\n");
            process.outputWriter().flush();
            return answers.readLine();
        }

        void end() throws IOException {
            process.outputWriter().close();
            process.onExit().join();
        }

        @Override
        public void close() throws IOException {
            end();
        }
    }

    /** Does what it is told, line by line, and ends with its input. */
    static final class Main {
        public static void main(String[] arguments) throws Exception {
            try (LockedSuccession succession =
                            new LockedSuccession(Path.of(arguments[0]), Boolean.parseBoolean(arguments[1]));
                    BufferedReader words = new BufferedReader(
                            new java.io.InputStreamReader(System.in, java.nio.charset.StandardCharsets.UTF_8))) {
                String word = words.readLine();
                while (word != null) {
                    System.out.println(answer(succession, word));
                    word = words.readLine();
                }
            }
        }

        private static String answer(LockedSuccession succession, String word) {
            switch (word) {
                case "begin" -> {
                    return Boolean.toString(succession.begin());
                }
                case "successor" -> {
                    return succession.successor().toString();
                }
                case "admit" -> succession.admit();
                case "tell" -> succession.tellThatItDecides();
                default -> throw new IllegalArgumentException(word);
            }
            return "done";
        }
    }
}
