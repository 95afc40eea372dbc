package dev.ouroboros.bench;

import java.util.Map;

/** A tool that is measured. */
interface Contestant {
    String name();

    /**
     * Does a step once and leaves nothing behind.
     *
     * @return its figures; none when the tool does not know the step
     */
    Map<Metric, Double> run(BenchStep step, int run) throws InterruptedException;
}
