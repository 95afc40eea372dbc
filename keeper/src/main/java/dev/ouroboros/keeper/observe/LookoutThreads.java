package dev.ouroboros.keeper.observe;

import dev.ouroboros.node.clock.LookInterval;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of the sources: one each, so that a source that hangs does not hold up the others. They wake together, on the seconds
 * of one clock: waking a processor that sleeps costs as much as the look of most sources.
 */
public final class LookoutThreads implements Lookouts {
    private static final Logger LOG = LoggerFactory.getLogger(LookoutThreads.class);
    private static final Duration AFTER_DEFECT = Duration.ofSeconds(1);

    private static final long BEAT = Duration.ofSeconds(1).toNanos();

    private static final LookInterval COSTLY = new LookInterval(1, Duration.ZERO, Duration.ofSeconds(5));

    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final long begun = System.nanoTime();
    private final Signal changed;
    private volatile boolean closed;

    /** @param changed ends some pauses early when a rest ends */
    public LookoutThreads(Signal changed) {
        this.changed = changed;
    }

    @Override
    public void follow(String name, Runnable look) {
        repeat(name, () -> {
            look.run();
            return AFTER_DEFECT;
        });
    }

    @Override
    public void repeat(String name, Supplier<Duration> look) {
        begin(name, look, Thread::sleep);
    }

    @Override
    public void repeatAndWhenRestEnds(String name, Supplier<Duration> look) {
        Semaphore woken = new Semaphore(0);
        changed.whenRestEnds(woken::release);
        Supplier<Duration> looking = () -> {
            // Before the look: a rest that ends during the look leads to another look.
            woken.drainPermits();
            return look.get();
        };
        begin(name, looking, pause -> {
            boolean _ = woken.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS);
        });
    }

    @Override
    public void repeatCostly(String name, Supplier<Duration> look) {
        repeatAndWhenRestEnds(name, () -> {
            long begin = System.nanoTime();
            Duration pause = look.get();
            return afterCostly(Duration.ofNanos(System.nanoTime() - begin), pause);
        });
    }

    /** The pause after a look that took a time: as long as that, up to five seconds, if it is not longer anyway. */
    static Duration afterCostly(Duration took, Duration pause) {
        Duration least = COSTLY.pauseAfter(took);
        return pause.compareTo(least) < 0 ? least : pause;
    }

    private interface Sleep {
        void during(Duration pause) throws InterruptedException;
    }

    private void begin(String name, Supplier<Duration> look, Sleep sleep) {
        Thread thread = Thread.ofVirtual().name("observe-" + name).unstarted(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                Duration pause = AFTER_DEFECT;
                try {
                    pause = look.get();
                } catch (RuntimeException e) {
                    // One failed look must not blind the keeper for good; the source keeps its last value.
                    LOG.error("component=keeper source={} event=defect reason=\"{}\"", name, e.toString(), e);
                }
                try {
                    sleep.during(untilBeat(System.nanoTime() - begun, pause));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        });
        threads.add(thread);
        thread.start();
        if (closed) {
            thread.interrupt();
        }
    }

    /**
     * A pause of a second or more ends on a beat, less than a second early: so a source with slow looks looks as often as one with fast
     * looks.
     */
    static Duration untilBeat(long now, Duration pause) {
        long due = now + pause.toNanos();
        return pause.toNanos() < BEAT ? pause : Duration.ofNanos(due - due % BEAT - now);
    }

    @Override
    public void close() {
        closed = true;
        threads.forEach(Thread::interrupt);
    }
}
