package dev.ouroboros.probe.client;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends what a socket does at a deadline, whatever it is: a read timeout begins anew with every byte, so that a server that
 * trickles its answer would never time out.
 */
final class Deadlines implements AutoCloseable {
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, work -> {
        Thread thread = new Thread(work, "probe-deadlines");
        thread.setDaemon(true);
        return thread;
    });

    Deadlines() {
        timer.setRemoveOnCancelPolicy(true);
    }

    /** What may take its time until a deadline. */
    interface Work<T> {
        T run() throws IOException;
    }

    /**
     * Runs work on a socket.
     *
     * @throws SocketTimeoutException when the deadline passed first; the socket is closed then
     */
    <T> T within(Duration timeout, Socket socket, Work<T> work) throws IOException {
        AtomicBoolean expired = new AtomicBoolean();
        Future<?> alarm = timer.schedule(
                () -> {
                    expired.set(true);
                    socket.close();
                    return true;
                },
                timeout.toNanos(),
                TimeUnit.NANOSECONDS);
        try {
            return work.run();
        } catch (IOException e) {
            if (expired.get()) {
                SocketTimeoutException timedOut =
                        new SocketTimeoutException("timeout: no answer within " + timeout.toMillis() + " ms");
                timedOut.initCause(e);
                throw timedOut;
            }
            throw e;
        } finally {
            alarm.cancel(false);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
