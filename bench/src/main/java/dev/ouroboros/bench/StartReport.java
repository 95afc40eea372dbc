package dev.ouroboros.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/** Reads what {@code ouro start --report FILE} writes; a peer writes the same. */
final class StartReport {
    private static final Map<String, Metric> EVENTS = Map.of(
            "FirstAnswer", Metric.FIRST_ANSWER,
            "ServesAlone", Metric.SERVES_ALONE,
            "Accepted", Metric.START_RETURNS);

    private StartReport() {}

    /**
     * Reads a report.
     *
     * @param next what helps when there is none, or it is none
     * @throws ProblemException NOT_FOUND when there is none; INVALID_CONFIG when it is not JSON
     */
    static Map<Metric, Double> read(Disk disk, Path file, String next) {
        String text = disk.readText(file)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        file.toString(),
                        "is missing",
                        "a file as 'ouro start --report' writes it",
                        next));
        try {
            return parse(text);
        } catch (JsonProcessingException e) {
            throw ProblemException.of(
                    ErrorCode.INVALID_CONFIG,
                    file.toString(),
                    "is not JSON: " + e.getMessage(),
                    "a file as 'ouro start --report' writes it",
                    next);
        }
    }

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
