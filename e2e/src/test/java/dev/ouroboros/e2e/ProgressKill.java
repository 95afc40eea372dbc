package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Runs a command, and kills it with SIGKILL some time after it has said that a phase begins. Phases come in an order: when it goes
 * on from a later one, that one counts.
 */
final class ProgressKill {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private final List<String> phases;
    private final boolean withDescendants;

    /**
     * @param phases what the command says when each of them begins, in their order
     * @param withDescendants whether its children are killed too; otherwise they are left behind
     */
    ProgressKill(List<String> phases, boolean withDescendants) {
        this.phases = List.copyOf(phases);
        this.withDescendants = withDescendants;
    }

    /**
     * How it ended.
     *
     * @param aimed the phase that was chosen
     * @param delay how long after its beginning
     * @param hit the last phase that had begun when it was killed; empty when it ended before
     */
    record Kill(String aimed, Duration delay, Optional<String> hit) {
        @Override
        public String toString() {
            return "aimed at " + delay.toMillis() + " ms after '" + aimed + "': "
                    + hit.map(phase -> "killed in '" + phase + "'").orElse("it had ended");
        }
    }

    Kill run(List<String> command, String phase, Duration delay) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        Listener listener = new Listener(process, phases.indexOf(phase));
        Thread reader = Thread.ofVirtual().start(listener);
        listener.begun.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
        boolean ended = process.waitFor(delay.toMillis(), TimeUnit.MILLISECONDS);
        if (ended) {
            assertThat(process.exitValue())
                    .as("%s, which nobody killed", command)
                    .isZero();
        }
        if (withDescendants) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
        }
        process.destroyForcibly().waitFor();
        reader.join(Duration.ofSeconds(10));
        return new Kill(phase, delay, ended ? Optional.empty() : Optional.of(phases.get(listener.last)));
    }

    /** Reads what the command says until the phase, or a later one, begins, and goes on reading. */
    private final class Listener implements Runnable {
        private final Process process;
        private final int wanted;
        private final CountDownLatch begun = new CountDownLatch(1);
        private volatile int last;

        Listener(Process process, int wanted) {
            this.process = process;
            this.wanted = wanted;
        }

        @Override
        public void run() {
            try (BufferedReader lines = process.inputReader()) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    System.err.println(line);
                    see(line);
                }
            } catch (IOException e) {
                // The pipe of a process that was killed.
                System.err.println("output ended: " + e);
            } finally {
                begun.countDown();
            }
        }

        private void see(String line) {
            for (int phase = 0; phase < phases.size(); phase++) {
                // After the time and two spaces; a detail is indented further.
                if (line.strip().endsWith("s  " + phases.get(phase))) {
                    last = phase;
                    if (phase >= wanted) {
                        begun.countDown();
                    }
                }
            }
        }
    }
}
