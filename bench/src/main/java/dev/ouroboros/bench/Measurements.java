package dev.ouroboros.bench;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a tool's runs have given so far, and what went wrong in them. */
final class Measurements {
    private static final int PROBLEM_LENGTH = 300;

    private final Map<Metric, List<Double>> values = new EnumMap<>(Metric.class);
    private final List<String> problems = new ArrayList<>();

    void add(Map<Metric, Double> run) {
        run.forEach((metric, value) ->
                values.computeIfAbsent(metric, _ -> new ArrayList<>()).add(value));
    }

    /** Remembers a problem as one line of bounded length: what failed comes first, usage texts last. */
    void addProblem(String problem) {
        String line = problem.strip().replaceAll("\\s+", " ");
        problems.add(line.length() <= PROBLEM_LENGTH ? line : line.substring(0, PROBLEM_LENGTH) + "...");
    }

    Optional<Series> series(Metric metric) {
        return Optional.ofNullable(values.get(metric)).map(Series::new);
    }

    List<String> problems() {
        return List.copyOf(problems);
    }
}
