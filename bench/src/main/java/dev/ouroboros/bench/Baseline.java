package dev.ouroboros.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;

/**
 * Figures of another tool that were measured once, for orientation: they are shown and never divided by.
 *
 * @param tool whose figures
 * @param source how they were measured
 */
record Baseline(String tool, String source, List<Figure> figures) {
    /**
     * One figure.
     *
     * @param kubernetes the version it was measured with
     */
    record Figure(Metric metric, String kubernetes, double low, double high) {
        Figure {
            if (low > high) {
                throw new IllegalArgumentException(metric + ": " + low + " is more than " + high);
            }
        }
    }

    Baseline {
        figures = List.copyOf(figures);
    }

    /** Reads {@code bench/baseline.json}. */
    static Baseline parse(String json) throws JsonProcessingException {
        JsonNode root = new ObjectMapper().readTree(json);
        List<Figure> figures = new ArrayList<>();
        for (JsonNode figure : root.path("figures")) {
            figures.add(new Figure(
                    Metric.valueOf(figure.path("metric").asText()),
                    figure.path("kubernetes").asText(),
                    figure.path("low").asDouble(),
                    figure.path("high").asDouble()));
        }
        return new Baseline(root.path("tool").asText(), root.path("source").asText(), figures);
    }

    List<Figure> of(Metric metric) {
        return figures.stream().filter(figure -> figure.metric() == metric).toList();
    }
}
