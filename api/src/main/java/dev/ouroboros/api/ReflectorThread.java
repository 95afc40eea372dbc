package dev.ouroboros.api;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Follows a collection on a thread of its own, until it is closed. An API server need not be there yet. */
public final class ReflectorThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReflectorThread.class);

    private final Thread thread;

    /** @param name of the thread, and of the source in the log */
    public ReflectorThread(String name, Reflector<?> reflector) {
        this.thread = Thread.ofVirtual().name(name).start(() -> follow(name, reflector));
    }

    private static void follow(String name, Reflector<?> reflector) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                Thread.sleep(reflector.followOrPause());
            }
        } catch (InterruptedException e) {
            LOG.debug("component=api-client source={} event=closed", name);
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
