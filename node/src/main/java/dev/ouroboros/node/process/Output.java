package dev.ouroboros.node.process;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Reads what a child prints, on a thread of its own. A daemon that the child left behind may keep the pipe open for ever: once the child has ended,
 * the output ends also after a while of silence, and at the latest after a limit.
 */
final class Output {
    private static final Duration SILENCE = Duration.ofSeconds(2);
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final StringBuilder text = new StringBuilder();
    private final FutureTask<Void> reader;
    /** How much has been read; with {@link #closed} guarded by this. */
    private long progress;

    private boolean closed;

    private Output(Reading reading) {
        reader = new FutureTask<>(() -> {
            reading.into(this);
            return null;
        });
        // A virtual thread that waits for a pipe keeps its carrier: some silent children would leave none to read
        // another one's.
        Thread.ofPlatform().daemon().name("output").start(reader);
    }

    /** All of it as text. */
    static Output collect(InputStream stream) {
        return new Output(output -> {
            try (Reader characters = new InputStreamReader(stream, StandardCharsets.UTF_8)) {
                char[] chunk = new char[8192];
                for (int read = characters.read(chunk); read >= 0; read = characters.read(chunk)) {
                    String piece = new String(chunk, 0, read);
                    output.take(() -> output.text.append(piece));
                }
            }
        });
    }

    /** Hands each line to {@code consumer} as it appears, and none after {@link #join}. */
    static Output lines(InputStream stream, Consumer<String> consumer) {
        return new Output(output -> {
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    String one = line;
                    output.take(() -> consumer.accept(one));
                }
            }
        });
    }

    private interface Reading {
        void into(Output output) throws IOException;
    }

    private synchronized void take(Runnable piece) {
        if (!closed) {
            piece.run();
            progress++;
        }
    }

    /**
     * What was printed, when the child has ended: all of it, or what there is after a while of silence.
     *
     * @throws ProblemException TIMEOUT when interrupted
     */
    String join() {
        long end = System.nanoTime() + LONGEST.toNanos();
        long before = -1;
        while (before != progress() && System.nanoTime() < end) {
            before = progress();
            if (ended()) {
                break;
            }
        }
        synchronized (this) {
            closed = true;
            return text.toString();
        }
    }

    private synchronized long progress() {
        return progress;
    }

    private boolean ended() {
        try {
            reader.get(SILENCE.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ProblemException.of(
                    ErrorCode.TIMEOUT,
                    "child process",
                    "interrupted while reading its output",
                    "",
                    "run the same command again");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException broken) {
                throw new UncheckedIOException("reading a child's output", broken);
            }
            throw new IllegalStateException("reading a child's output", e.getCause());
        }
    }
}
