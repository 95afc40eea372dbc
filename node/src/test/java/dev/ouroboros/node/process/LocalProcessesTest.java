package dev.ouroboros.node.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LocalProcessesTest {
    private final Processes processes = new LocalProcesses();

    @Test
    void capturesBothStreamsAndTheExitCode() {
        Result result = processes.run(
                Command.of("sh", "-c", "cat; echo wrong >&2; exit 3").withInput("right"));

        assertThat(result.output()).isEqualTo("right");
        assertThat(result.error()).isEqualTo("wrong\n");
        assertThat(result.exitCode()).isEqualTo(3);
        assertThatThrownBy(result::orThrow).hasMessageContaining("exit code 3: wrong");
    }

    @Test
    void readsMoreThanAPipeHolds() {
        Result result = processes.run(
                Command.of("sh", "-c", "head -c 1000000 /dev/zero | tr '\\0' x; head -c 1000000 /dev/zero >&2"));

        assertThat(result.output()).hasSize(1_000_000);
        assertThat(result.error()).hasSize(1_000_000);
    }

    @Test
    void handsOutLinesAsTheyAppear() {
        List<String> lines = new ArrayList<>();

        Result result = processes.stream(Command.of("sh", "-c", "echo one; echo two >&2; echo three"), lines::add);

        assertThat(result.succeeded()).isTrue();
        assertThat(lines).containsExactly("one", "two", "three");
    }

    @Test
    void childrenThatSayNothingDoNotKeepOthersFromBeingRead() throws Exception {
        int children = 4 * Runtime.getRuntime().availableProcessors();
        CountDownLatch heard = new CountDownLatch(children);
        List<Thread> followers = new ArrayList<>();
        for (int i = 0; i < children; i++) {
            followers.add(Thread.ofVirtual()
                    .start(() -> assertThatThrownBy(() -> processes.stream(
                                    Command.of("sh", "-c", "echo begun; exec sleep 1000"), _ -> heard.countDown()))
                            .hasMessageContaining("was interrupted")));
        }

        assertThat(heard.await(30, TimeUnit.SECONDS)).isTrue();

        for (Thread follower : followers) {
            follower.interrupt();
        }
        for (Thread follower : followers) {
            follower.join();
        }
    }

    @Test
    void killsAChildAndItsChildrenAtTheTimeout(@TempDir Path directory) throws Exception {
        Path pidFile = directory.resolve("pid");
        Command hanging = Command.of("sh", "-c", "sleep 1000 & echo $! >" + pidFile + "; wait")
                .withTimeout(Duration.ofMillis(700));

        assertThatThrownBy(() -> processes.run(hanging))
                .isInstanceOf(ProblemException.class)
                .extracting(e -> ((ProblemException) e).problems().getFirst().code())
                .isEqualTo(ErrorCode.TIMEOUT);

        long grandchild = Long.parseLong(Files.readString(pidFile).strip());
        ProcessHandle.of(grandchild)
                .ifPresent(handle -> assertThat(handle.onExit()).succeedsWithin(Duration.ofSeconds(5)));
    }

    @Test
    void doesNotWaitForADaemonThatKeepsTheOutputOpen() throws Exception {
        Command leaving = Command.of("sh", "-c", "sleep 1000 & echo $!").withTimeout(Duration.ofSeconds(20));
        List<String> lines = new ArrayList<>();

        Result run = processes.run(leaving);
        Result streamed = processes.stream(leaving, lines::add);

        assertThat(run.succeeded()).isTrue();
        assertThat(streamed.succeeded()).isTrue();
        for (String daemon : List.of(run.output().strip(), lines.getFirst())) {
            assertThat(ProcessHandle.of(Long.parseLong(daemon)).orElseThrow().destroyForcibly())
                    .as("it is left alone")
                    .isTrue();
        }
    }

    @Test
    void namesAProgramThatIsNotThere() {
        assertThatThrownBy(() -> processes.run(Command.of("no-such-program")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("no-such-program")
                .extracting(e -> ((ProblemException) e).problems().getFirst().code())
                .isEqualTo(ErrorCode.MISSING_TOOL);
    }

    @Test
    void aChildThatDoesNotReadItsInputDoesNoHarm() {
        Result result = processes.run(Command.of("true").withInput("x".repeat(1_000_000)));

        assertThat(result.succeeded()).isTrue();
    }

    @Test
    void namesAProgramThatCannotBeAttached() {
        Refusal.of(() -> processes.attach(Command.of("no-such-program")), ErrorCode.MISSING_TOOL)
                .lineContains("no-such-program")
                .nextContains("install it");
    }

    @Test
    void killsAChildWhenItIsInterrupted() {
        Thread.currentThread().interrupt();
        Refusal.of(() -> processes.run(Command.of("sleep", "1000")), ErrorCode.TIMEOUT)
                .lineContains("sleep 1000: was interrupted and killed")
                .nextContains("run the same command again");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void canBeInterruptedWhileADaemonKeepsTheOutputOpen() throws IOException {
        try (PipedOutputStream daemon = new PipedOutputStream();
                InputStream open = new PipedInputStream(daemon)) {
            Output output = Output.collect(open);
            Thread.currentThread().interrupt();
            Refusal.of(output::join, ErrorCode.TIMEOUT)
                    .lineContains("child process: interrupted while reading its output")
                    .nextContains("run the same command again");
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void canBeInterruptedWhileItWaitsForACondition() {
        Thread.currentThread().interrupt();
        Refusal.of(
                        () -> new Waiting(InstantSource.system()).until(() -> false, Duration.ofSeconds(30)),
                        ErrorCode.TIMEOUT)
                .lineContains("waiting: interrupted")
                .nextContains("run the same command again: it goes on");
        assertThat(Thread.interrupted()).isTrue();
    }
}
