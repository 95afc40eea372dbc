package dev.ouroboros.cli.sandbox;

import java.io.PrintWriter;
import java.util.function.Supplier;

/**
 * Prints a text when a signal (Ctrl-C, SIGTERM) ends this process in the middle of its work, and hides what the work prints about its child
 * processes, which the signal ends too.
 */
final class Interruption implements AutoCloseable {
    private final Thread hook;

    private Interruption(Thread hook) {
        this.hook = hook;
    }

    /** @param text asked for when the signal comes */
    static Interruption saying(Supplier<String> text, PrintWriter err) {
        Thread hook = Thread.ofPlatform().name("interruption").unstarted(() -> {
            err.println(text.get());
            err.flush();
        });
        Runtime.getRuntime().addShutdownHook(hook);
        return new Interruption(hook);
    }

    /** The work ended by itself. While the process is being ended this does not return. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // Shutdown is in progress: the hook says what there is to say, and java ends when it has.
            awaitEnd();
        }
    }

    private static void awaitEnd() {
        try {
            Thread.currentThread().join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
