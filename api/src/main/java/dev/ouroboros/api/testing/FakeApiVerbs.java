package dev.ouroboros.api.testing;

import dev.ouroboros.api.testing.FakeObjects.Change;
import dev.ouroboros.api.testing.FakeObjects.Changes;
import dev.ouroboros.api.testing.FakeObjects.Selector;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** What a fake API server does with its objects: reads one, lists in pages, creates, updates, patches, deletes, watches. */
final class FakeApiVerbs {
    private final FakeObjects objects;
    private final AtomicInteger watchLife = new AtomicInteger();

    FakeApiVerbs(FakeObjects objects) {
        this.objects = objects;
    }

    void answer(String method, String path, Map<String, String> query, String body, OutputStream output)
            throws IOException, InterruptedException {
        if (query.containsKey("watch")) {
            watch(path, query, output);
            return;
        }
        switch (method) {
            case "GET" -> read(path, query, output);
            case "POST" -> create(path, query, body, output);
            case "PATCH", "PUT" -> write(method, path, query, body, output);
            case "DELETE" -> delete(path, body, output);
            default -> HttpReplies.send(output, 405, Map.of(), "");
        }
    }

    /** Each watch ends like one whose lifetime is over. */
    void endWatches() {
        watchLife.incrementAndGet();
    }

    private void read(String path, Map<String, String> query, OutputStream output) throws IOException {
        Optional<Json.Fields> one = objects.get(path);
        if (one.isPresent()) {
            HttpReplies.send(output, 200, one.get());
        } else if (path.matches(
                ".*/(pods|nodes|daemonsets|deployments|controllerrevisions|secrets|services|endpoints|endpointslices)")) {
            list(path, query, output);
        } else {
            HttpReplies.send(output, 404, Map.of(), "{\"kind\":\"Status\",\"message\":\"not found\",\"code\":404}");
        }
    }

    private void list(String path, Map<String, String> query, OutputStream output) throws IOException {
        FakeObjects.Listed listed = objects.list(selector(path, query));
        int from = Integer.parseInt(query.getOrDefault("continue", "0"));
        int to = Math.min(listed.items().size(), from + Integer.parseInt(query.getOrDefault("limit", "500")));
        Json.Fields metadata = Json.object().with("resourceVersion", Json.text(Long.toString(listed.version())));
        if (to < listed.items().size()) {
            metadata = metadata.with("continue", Json.text(Integer.toString(to)));
        }
        HttpReplies.send(
                output,
                200,
                Json.object()
                        .with("metadata", metadata)
                        .with("items", Json.items(listed.items().subList(from, to).stream())));
    }

    private void create(String collection, Map<String, String> query, String body, OutputStream output)
            throws IOException {
        Json.Fields object = (Json.Fields) JsonText.read(body);
        String name = object.at("metadata", "name").text().orElseThrow();
        String path = collection + "/" + name;
        if (objects.get(path).isPresent()) {
            HttpReplies.send(output, 409, Map.of(), "{\"message\":\"already exists\"}");
        } else {
            HttpReplies.send(output, 201, query.containsKey("dryRun") ? object : objects.put(path, object));
        }
    }

    private void write(String method, String path, Map<String, String> query, String body, OutputStream output)
            throws IOException {
        Json.Fields change = (Json.Fields) JsonText.read(body);
        Optional<Json.Fields> before = objects.get(path);
        if (before.isEmpty() && query.containsKey("dryRun")) {
            HttpReplies.send(output, 404, Map.of(), "{\"message\":\"not found\"}");
            return;
        }
        Json read = change.at("metadata", "resourceVersion");
        if (before.isPresent() && !read.isNull() && !read.equals(before.get().at("metadata", "resourceVersion"))) {
            HttpReplies.send(output, 409, Map.of(), "{\"message\":\"the object has been modified\"}");
            return;
        }
        Json.Fields after = method.equals("PUT") ? change : (Json.Fields) merged(before.orElse(Json.object()), change);
        HttpReplies.send(output, 200, query.containsKey("dryRun") ? after : objects.put(path, after));
    }

    /** RFC 7396. */
    private static Json merged(Json target, Json patch) {
        if (!(patch instanceof Json.Fields(Map<String, Json> changes))) {
            return patch;
        }
        Json.Fields result = target instanceof Json.Fields fields ? fields : Json.object();
        for (Map.Entry<String, Json> change : changes.entrySet()) {
            result = change.getValue().isNull()
                    ? result.without(change.getKey())
                    : result.with(change.getKey(), merged(result.at(change.getKey()), change.getValue()));
        }
        return result;
    }

    private void delete(String path, String body, OutputStream output) throws IOException {
        Json options = JsonText.read(body);
        Optional<String> wanted = options.at("preconditions", "uid").text();
        Optional<Json.Fields> there = objects.get(path);
        if (there.isEmpty()) {
            HttpReplies.send(output, 404, Map.of(), "{\"message\":\"not found\"}");
        } else if (!there.get().at("metadata", "uid").text().equals(wanted)) {
            HttpReplies.send(output, 409, Map.of(), "{\"message\":\"uid differs\"}");
        } else {
            boolean pending = !there.get().at("metadata", "deletionTimestamp").isNull()
                    && options.at("gracePeriodSeconds").isNull();
            if (!pending) {
                objects.delete(path);
            }
            HttpReplies.send(output, 200, Map.of(), "{\"kind\":\"Status\",\"status\":\"Success\"}");
        }
    }

    private void watch(String path, Map<String, String> query, OutputStream output)
            throws IOException, InterruptedException {
        long version = Long.parseLong(query.getOrDefault("resourceVersion", "0"));
        long end = System.nanoTime() + Long.parseLong(query.getOrDefault("timeoutSeconds", "60")) * 1_000_000_000L;
        int life = watchLife.get();
        HttpReplies.beginChunks(output);
        while (System.nanoTime() < end && life == watchLife.get()) {
            if (objects.isCompacted(version)) {
                HttpReplies.chunk(
                        output,
                        Json.object()
                                .with("type", Json.text("ERROR"))
                                .with(
                                        "object",
                                        Json.object()
                                                .with("code", Json.number(410))
                                                .with("message", Json.text("too old resource version"))));
                break;
            }
            Changes changes = objects.after(version, selector(path, query), 100);
            for (Change change : changes.items()) {
                HttpReplies.chunk(
                        output,
                        Json.object().with("type", Json.text(change.type())).with("object", change.object()));
            }
            version = changes.reached();
            if (changes.items().isEmpty()) {
                HttpReplies.chunk(output, bookmark(version));
            }
        }
        output.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        output.flush();
    }

    private static Json.Fields bookmark(long version) {
        Json.Fields metadata = Json.object().with("resourceVersion", Json.text(Long.toString(version)));
        return Json.object()
                .with("type", Json.text("BOOKMARK"))
                .with("object", Json.object().with("metadata", metadata));
    }

    private static Selector selector(String path, Map<String, String> query) {
        return new Selector(path, query.getOrDefault("fieldSelector", ""), query.getOrDefault("labelSelector", ""));
    }
}
