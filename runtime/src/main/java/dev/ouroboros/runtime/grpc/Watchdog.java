package dev.ouroboros.runtime.grpc;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Closes a channel when its time is over: blocking input and output on a Unix socket has no timeout of its own, and a selector
 * would hold its carrier thread.
 */
final class Watchdog {
    private final Closeable channel;
    private final Thread thread;
    private volatile Duration limit;
    private volatile long deadline;
    private volatile boolean expired;
    private volatile boolean done;

    Watchdog(Closeable channel, Duration limit) {
        this.channel = channel;
        this.limit = limit;
        this.deadline = System.nanoTime() + limit.toNanos();
        this.thread = Thread.ofVirtual().name("grpc-watchdog").start(this::watch);
    }

    /** The channel may be used for this long from now on. */
    void within(Duration newLimit) {
        limit = newLimit;
        deadline = System.nanoTime() + newLimit.toNanos();
        LockSupport.unpark(thread);
    }

    Duration limit() {
        return limit;
    }

    /** Whether the channel was closed because its time was over. */
    boolean expired() {
        return expired;
    }

    void close() {
        done = true;
        LockSupport.unpark(thread);
    }

    private void watch() {
        while (!done) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                expired = true;
                closeChannel();
                return;
            }
            LockSupport.parkNanos(this, left);
        }
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException("closing a socket whose time was over", e);
        }
    }
}
