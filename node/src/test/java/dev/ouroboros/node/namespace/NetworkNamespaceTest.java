package dev.ouroboros.node.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NetworkNamespaceTest {
    private static final int TRIES = 100;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void saysWhichNamespaceIsNotThere() {
        Refusal.of(() -> new NetworkNamespace(directory.resolve("none")).call(() -> 1), ErrorCode.MISSING_PERMISSION)
                .where(directory.resolve("none"))
                .whatStartsWith("the network namespace cannot be entered")
                .nextContains("ip netns");
    }

    /** A pipe without a writer is not opened, so the thread inside is still at it when the interruption is seen. */
    @Test
    void saysThatItWasInterruptedInside() throws Exception {
        Path pipe = directory.resolve("none");
        assertThat(new LocalProcesses()
                        .run(Command.of("mkfifo", pipe.toString()))
                        .succeeded())
                .isTrue();

        Thread.currentThread().interrupt();
        Refusal.of(() -> new NetworkNamespace(pipe).call(() -> 1), ErrorCode.TIMEOUT)
                .where(directory.resolve("none"))
                .whatStartsWith("interrupted while inside")
                .nextContains("run the same command again");

        assertThat(Thread.interrupted()).as("whoever waits further up sees it").isTrue();
        Files.newOutputStream(pipe).close();
    }

    /** It may be made before the interruption is looked at; then it is tried again. */
    @Test
    void saysThatItWasInterruptedWhileItMadeOne() {
        assertThat(Stream.generate(NetworkNamespaceTest::interruptedWhileMaking)
                        .limit(TRIES)
                        .flatMap(Optional::stream)
                        .findFirst())
                .hasValueSatisfying(failure -> assertThat(failure)
                        .hasMessageContaining("network namespace: interrupted while making one")
                        .hasMessageContaining("run the same command again"));
    }

    private static Optional<ProblemException> interruptedWhileMaking() {
        Thread.currentThread().interrupt();
        try (TemporaryNamespace _ = TemporaryNamespace.create()) {
            return Optional.empty();
        } catch (ProblemException e) {
            return Optional.of(e)
                    .filter(failure -> failure.problems().getFirst().code() == ErrorCode.TIMEOUT);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }
}
