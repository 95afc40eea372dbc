package dev.ouroboros.keeper.observe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads of the sources: one each, so that one that hangs does not hold up the others. */
public final class Lookouts implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Lookouts.class);
    private static final Duration AFTER_DEFECT = Duration.ofSeconds(1);

    private final List<Thread> threads = new ArrayList<>();

    /** Looks again and again, with a pause in between. */
    public void every(String name, Duration pause, Runnable look) {
        follow(name, pause, look);
    }

    /** Runs something that looks until it is interrupted. */
    public void follow(String name, Runnable look) {
        follow(name, AFTER_DEFECT, look);
    }

    private void follow(String name, Duration pause, Runnable look) {
        threads.add(Thread.ofVirtual().name("observe-" + name).start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                try {
                    look.run();
                } catch (RuntimeException e) {
                    // One failed look must not blind the keeper for good; what it sees stays as old as it is.
                    LOG.error("component=keeper source={} event=defect reason=\"{}\"", name, e.toString(), e);
                }
                try {
                    Thread.sleep(pause);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }));
    }

    @Override
    public void close() {
        threads.forEach(Thread::interrupt);
    }
}
