package dev.ouroboros.bench;

import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Everything a benchmark found.
 *
 * @param peer empty when no other tool ran
 */
record BenchResult(int runs, Measurements ouro, Optional<Measurements> peer, Baseline baseline) {
    /**
     * Our median over the peer's, both measured in this run; empty without a peer or where the peer's median is zero. Figures that
     * were measured on another day or machine are never divided by.
     */
    OptionalDouble ratio(Metric metric) {
        Optional<Series> ours = ouro.series(metric);
        Optional<Series> theirs = peer.flatMap(measured -> measured.series(metric));
        if (ours.isEmpty() || theirs.isEmpty() || theirs.get().median() == 0) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(ours.get().median() / theirs.get().median());
    }

    boolean complete() {
        return ouro.problems().isEmpty()
                && peer.map(measured -> measured.problems().isEmpty()).orElse(true);
    }
}
