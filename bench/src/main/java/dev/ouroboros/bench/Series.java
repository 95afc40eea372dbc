package dev.ouroboros.bench;

import java.util.List;

/** The values of one metric, one a run. */
record Series(List<Double> values) {
    Series {
        values = List.copyOf(values);
        if (values.isEmpty()) {
            throw new IllegalArgumentException("a series has at least one value");
        }
        if (values.stream().anyMatch(value -> !Double.isFinite(value) || value < 0)) {
            throw new IllegalArgumentException("measured values are finite and not negative: " + values);
        }
    }

    /** The middle value, or the mean of the two in the middle: one disturbed run does not move it. */
    double median() {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    double lowest() {
        return values.stream().min(Double::compare).orElseThrow();
    }

    double highest() {
        return values.stream().max(Double::compare).orElseThrow();
    }
}
