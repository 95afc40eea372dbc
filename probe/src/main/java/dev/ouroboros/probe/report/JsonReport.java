package dev.ouroboros.probe.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.OptionalLong;

/** A report as JSON: durations are seconds, instants are RFC 3339, what does not exist is absent. */
public final class JsonReport {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private JsonReport() {}

    /** Pretty-printed, with a final newline. */
    public static String render(ProbeReport report) {
        return tree(report).toPrettyString() + "\n";
    }

    public static ObjectNode tree(ProbeReport report) {
        ObjectNode root = NODES.objectNode();
        root.put("server", report.server().toString());
        root.put("startedAt", report.startedAt().toString());
        root.set("lastedSeconds", seconds(report.lasted()));
        root.set("intervalSeconds", seconds(report.interval()));
        root.set("timeoutSeconds", seconds(report.timeout()));
        root.put("available", report.available());
        root.put("failedRequests", report.failedRequests());
        report.firstAnswer().ifPresent(at -> root.set("firstAnswerSeconds", seconds(at)));
        ArrayNode clients = root.putArray("clients");
        report.clients().forEach(client -> clients.add(tree(client, report)));
        report.watch().ifPresent(watch -> root.set("watch", tree(watch)));
        return root;
    }

    private static ObjectNode tree(ClientReport client, ProbeReport report) {
        ObjectNode node = NODES.objectNode();
        node.put("client", client.row().label());
        node.put("decides", client.row().decides());
        node.put("requests", client.requests());
        node.put("failures", client.failures());
        node.put("beforeFirstAnswer", client.beforeFirstAnswer());
        node.put("retries", client.retries());
        client.firstAnswer().ifPresent(at -> node.set("firstAnswerSeconds", seconds(at)));
        node.set("longestWaitSeconds", seconds(client.longestWait()));
        ObjectNode latency = node.putObject("latencySeconds");
        latency.set("p50", seconds(client.latencies().p50()));
        latency.set("p99", seconds(client.latencies().p99()));
        latency.set("max", seconds(client.latencies().max()));
        ArrayNode outages = node.putArray("outages");
        for (Outage outage : client.outages()) {
            ObjectNode entry = outages.addObject();
            entry.put("from", report.startedAt().plus(outage.from()).toString());
            entry.set("fromSeconds", seconds(outage.from()));
            outage.to().ifPresent(to -> {
                entry.put("to", report.startedAt().plus(to).toString());
                entry.set("toSeconds", seconds(to));
            });
            entry.set("lastedSeconds", seconds(outage.lasted(report.lasted())));
            entry.put("failures", outage.failures());
            entry.put("firstError", outage.firstError());
        }
        return node;
    }

    private static ObjectNode tree(WatchReport watch) {
        ObjectNode node = NODES.objectNode();
        node.put("consistent", watch.consistent());
        node.put("acknowledged", watch.acknowledged());
        node.put("observed", watch.observed());
        node.put("coalesced", watch.coalesced());
        node.put("missed", watch.missed());
        node.put("late", watch.late());
        node.put("wentBack", watch.wentBack());
        node.put("lost", watch.lost());
        node.put("reconnects", watch.reconnects());
        node.set("longestDelaySeconds", seconds(watch.longestDelay()));
        node.set("longestGapSeconds", seconds(watch.longestGap()));
        put(node, "lastAcknowledged", watch.lastAcknowledged());
        put(node, "stored", watch.stored());
        return node;
    }

    private static void put(ObjectNode node, String field, OptionalLong value) {
        value.ifPresent(present -> node.put(field, present));
    }

    /** Milliseconds are as exact as a shared machine can be; microseconds keep short latencies apart. */
    private static JsonNode seconds(Duration duration) {
        return NODES.numberNode(BigDecimal.valueOf(duration.toNanos() / 1000, 6));
    }
}
