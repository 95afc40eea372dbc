package dev.ouroboros.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.EnumMap;
import java.util.Map;

/** Reads what {@code ouro start --report FILE} writes; a peer writes the same. */
final class StartReport {
    private static final Map<String, Metric> EVENTS = Map.of(
            "FirstAnswer", Metric.FIRST_ANSWER,
            "ServesAlone", Metric.SERVES_ALONE,
            "Accepted", Metric.START_RETURNS);

    private StartReport() {}

    /** The seconds of the events that are metrics, the first of each name. */
    static Map<Metric, Double> parse(String json) throws JsonProcessingException {
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        for (JsonNode event : new ObjectMapper().readTree(json).path("events")) {
            Metric metric = EVENTS.get(event.path("event").asText());
            JsonNode elapsed = event.path("elapsedSeconds");
            if (metric != null && elapsed.isNumber()) {
                figures.putIfAbsent(metric, elapsed.asDouble());
            }
        }
        return figures;
    }
}
