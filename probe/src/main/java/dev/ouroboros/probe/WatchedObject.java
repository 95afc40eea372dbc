package dev.ouroboros.probe;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.probe.client.ApiRequest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;

/** The ConfigMap that a probe writes and watches: the requests for it, and how it is read. */
record WatchedObject(String namespace, String name) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String NUMBER = "number";
    private static final int WATCH_SECONDS = 600;

    private String collection() {
        return "/api/v1/namespaces/" + namespace + "/configmaps";
    }

    private String selector() {
        return "fieldSelector=" + URLEncoder.encode("metadata.name=" + name, StandardCharsets.UTF_8);
    }

    ApiRequest get() {
        return ApiRequest.get(collection() + "/" + name);
    }

    ApiRequest delete() {
        return ApiRequest.delete(collection() + "/" + name);
    }

    ApiRequest create(long number) {
        return ApiRequest.post(collection(), body(number, ""));
    }

    /** An update that the API refuses when anybody, a late attempt of ours included, wrote in between. */
    ApiRequest update(long number, String resourceVersion) {
        return ApiRequest.put(collection() + "/" + name, body(number, resourceVersion));
    }

    ApiRequest list(String resourceVersion) {
        return ApiRequest.get(collection() + "?" + selector() + "&resourceVersion=" + resourceVersion);
    }

    ApiRequest watch(String resourceVersion) {
        return ApiRequest.get(collection() + "?" + selector() + "&watch=true&allowWatchBookmarks=true&timeoutSeconds="
                + WATCH_SECONDS + "&resourceVersion=" + resourceVersion);
    }

    /** A creation that is checked by the API but not stored. */
    static ApiRequest dryRun(String namespace) {
        ObjectNode object = object();
        object.putObject("metadata").put("generateName", "ouroboros-probe-");
        return ApiRequest.post("/api/v1/namespaces/" + namespace + "/configmaps?dryRun=All", object.toString());
    }

    private String body(long number, String resourceVersion) {
        ObjectNode object = object();
        ObjectNode metadata = object.putObject("metadata").put("name", name);
        if (!resourceVersion.isEmpty()) {
            metadata.put("resourceVersion", resourceVersion);
        }
        object.putObject("data").put(NUMBER, Long.toString(number));
        return object.toString();
    }

    private static ObjectNode object() {
        return JSON.createObjectNode().put("apiVersion", "v1").put("kind", "ConfigMap");
    }

    /** The JSON of an answer, or empty when it is none. */
    static Optional<JsonNode> parse(String text) {
        try {
            return Optional.ofNullable(JSON.readTree(text));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    static String resourceVersionOf(JsonNode object) {
        return object.path("metadata").path("resourceVersion").asText("");
    }

    static OptionalLong numberOf(JsonNode object) {
        String number = object.path("data").path(NUMBER).asText("");
        return number.matches("\\d{1,18}") ? OptionalLong.of(Long.parseLong(number)) : OptionalLong.empty();
    }
}
