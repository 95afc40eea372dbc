package dev.ouroboros.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;

/** A result as JSON: every run's value, so that others can compute what they like. */
final class JsonResult {
    private JsonResult() {}

    static String render(BenchResult result) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        root.put("runs", result.runs());
        root.put("complete", result.complete());
        ArrayNode metrics = root.putArray("metrics");
        for (Metric metric : Metric.values()) {
            ObjectNode entry = metrics.addObject();
            entry.put("metric", metric.name());
            entry.put("unit", metric.unit());
            put(entry, "ouro", result.ouro().series(metric));
            result.peer().ifPresent(peer -> put(entry, "peer", peer.series(metric)));
            result.ratio(metric).ifPresent(ratio -> entry.put("ratio", ratio));
            ArrayNode baseline = entry.putArray("baseline");
            result.baseline()
                    .of(metric)
                    .forEach(figure -> baseline.addObject()
                            .put("tool", result.baseline().tool())
                            .put("kubernetes", figure.kubernetes())
                            .put("low", figure.low())
                            .put("high", figure.high()));
        }
        put(root, "ouroProblems", result.ouro().problems());
        result.peer().ifPresent(peer -> put(root, "peerProblems", peer.problems()));
        return root.toPrettyString() + "\n";
    }

    private static void put(ObjectNode node, String field, Optional<Series> series) {
        series.ifPresent(values -> {
            ObjectNode entry = node.putObject(field);
            entry.put("median", values.median());
            entry.put("lowest", values.lowest());
            entry.put("highest", values.highest());
            ArrayNode all = entry.putArray("values");
            values.values().forEach(all::add);
        });
    }

    private static void put(ObjectNode node, String field, List<String> lines) {
        ArrayNode array = node.putArray(field);
        lines.forEach(array::add);
    }
}
