package dev.ouroboros.sim;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/** Many seeds, some at once: a run knows nothing of another. */
final class Campaign {
    private final LongFunction<Run.Outcome> run;
    private final int workers;

    Campaign(LongFunction<Run.Outcome> run, int workers) {
        this.run = run;
        this.workers = workers;
    }

    /**
     * The result of all runs.
     *
     * @param violations in the order of their seeds
     * @param counts of what was covered, all runs together
     * @param cpu that the workers took, which says more than elapsed time on a shared machine
     */
    record Result(
            long seeds,
            List<Run.Outcome> violations,
            Map<String, Long> counts,
            Duration simulated,
            long events,
            Duration took,
            Duration cpu) {
        double seedsPerCpuSecond() {
            return seeds / Math.max(0.001, cpu.toMillis() / 1000.0);
        }

        double seedsPerSecond() {
            return seeds / Math.max(0.001, took.toMillis() / 1000.0);
        }

        double simulatedHoursPerSecond() {
            return simulated.toMillis() / 3_600_000.0 / Math.max(0.001, took.toMillis() / 1000.0);
        }
    }

    /** @param progress told the number of runs that are over, by any thread */
    Result of(long first, long seeds, Consumer<Long> progress) throws InterruptedException {
        long began = System.nanoTime();
        AtomicLong next = new AtomicLong(first);
        AtomicLong over = new AtomicLong();
        AtomicLong cpu = new AtomicLong();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Total total = new Total();
        try (ExecutorService pool = Executors.newFixedThreadPool(workers)) {
            List<Future<?>> all = new ArrayList<>();
            for (int worker = 0; worker < workers; worker++) {
                all.add(pool.submit(() -> {
                    long before = threads.getCurrentThreadCpuTime();
                    for (long seed = next.getAndIncrement(); seed < first + seeds; seed = next.getAndIncrement()) {
                        total.add(run.apply(seed));
                        progress.accept(over.incrementAndGet());
                    }
                    cpu.addAndGet(threads.getCurrentThreadCpuTime() - before);
                }));
            }
            for (Future<?> worker : all) {
                try {
                    worker.get();
                } catch (ExecutionException e) {
                    throw new IllegalStateException("the simulator has a defect: " + e.getCause(), e.getCause());
                }
            }
        }
        return total.result(over.get(), Duration.ofNanos(System.nanoTime() - began), Duration.ofNanos(cpu.get()));
    }

    private static final class Total {
        private final List<Run.Outcome> violations = new ArrayList<>();
        private final Map<String, Long> counts = new TreeMap<>();
        private Duration simulated = Duration.ZERO;
        private long events;

        synchronized void add(Run.Outcome outcome) {
            if (outcome.violation().isPresent()) {
                violations.add(outcome);
            }
            outcome.counts().forEach((what, count) -> counts.merge(what, count, Long::sum));
            simulated = simulated.plus(outcome.simulated());
            events += outcome.events();
        }

        synchronized Result result(long seeds, Duration took, Duration cpu) {
            violations.sort(Comparator.comparingLong(Run.Outcome::seed));
            return new Result(seeds, List.copyOf(violations), new TreeMap<>(counts), simulated, events, took, cpu);
        }
    }
}
