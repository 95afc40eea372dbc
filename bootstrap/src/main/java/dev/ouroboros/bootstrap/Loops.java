package dev.ouroboros.bootstrap;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ServerProbe;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.node.action.Wakeup;
import dev.ouroboros.node.clock.LookInterval;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks that are repeated, each on a thread of its own, so that a look that hangs does not hold up the others.
 */
final class Loops implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Loops.class);
    private static final Duration PROBE_INTERVAL = Duration.ofMillis(100);
    /** Seven looks use at most a third of a processor, unless the longest pause caps it. */
    private static final int PAUSE_PER_LOOK = 20;

    /** On an emulated machine, where a boot takes minutes, pauses of three seconds cost a fifth of a processor. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final Wakeup changed;
    private final List<Thread> threads = new ArrayList<>();

    Loops(Wakeup changed) {
        this.changed = changed;
    }

    /** Looks at the health of a server. */
    interface Prober {
        Health probe(Health previous);
    }

    /** A probe whose credentials were given, so that there always is something to probe with. */
    static Prober asking(ServerProbe probe) {
        return previous -> {
            try {
                return probe.probe(previous);
            } catch (ApiException e) {
                throw new IllegalStateException("credentials that were given", e);
            }
        };
    }

    void probe(String name, AtomicReference<Evidence<Health>> result, Prober prober) {
        repeat(PROBE_INTERVAL, name, () -> {
            Evidence<Health> before = result.get();
            Evidence<Health> found = Evidence.known(prober.probe(before.orElse(new Health.NotListening())));
            // The result is lost when somebody has reset the source meanwhile: the next probe brings another.
            return store(result, before, found);
        });
    }

    /** Raises the signal when what is found is new. */
    <T> void look(String name, AtomicReference<Evidence<T>> result, Supplier<Evidence<T>> look) {
        repeat(PROBE_INTERVAL, name, () -> store(result, result.get(), look.get()));
    }

    /** Whether it is new. */
    private <T> boolean store(AtomicReference<Evidence<T>> result, Evidence<T> before, Evidence<T> found) {
        boolean isNew = result.compareAndSet(before, found) && !found.equals(before);
        if (isNew) {
            changed.raise();
        }
        return isNew;
    }

    void every(Duration interval, String name, Runnable look) {
        repeat(interval, name, () -> {
            look.run();
            return false;
        });
    }

    /** @param look whether it has found something new */
    private void repeat(Duration interval, String name, BooleanSupplier look) {
        LookInterval pauses = new LookInterval(PAUSE_PER_LOOK, interval, LONGEST_PAUSE);
        threads.add(Thread.ofVirtual().name("observe-" + name).start(() -> {
            long unchangedSince = System.nanoTime();
            while (!Thread.currentThread().isInterrupted()) {
                long begun = System.nanoTime();
                try {
                    unchangedSince = look.getAsBoolean() ? System.nanoTime() : unchangedSince;
                } catch (RuntimeException e) {
                    // One failed look must not blind the pivot for good; the source keeps its last value.
                    LOG.warn("observing {} failed: {}", name, e.toString());
                }
                long ended = System.nanoTime();
                try {
                    Thread.sleep(pauses.pauseAfter(
                            Duration.ofNanos(ended - begun), Duration.ofNanos(ended - unchangedSince)));
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
