package dev.ouroboros.probe.client;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A request to the API.
 *
 * @param path with its query, as in {@code /readyz?verbose}
 * @param body JSON, or empty for a request without a body
 */
public record ApiRequest(String method, String path, Optional<String> body) {
    public ApiRequest {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("a path begins with a slash: " + path);
        }
    }

    public static ApiRequest get(String path) {
        return new ApiRequest("GET", path, Optional.empty());
    }

    public static ApiRequest delete(String path) {
        return new ApiRequest("DELETE", path, Optional.empty());
    }

    public static ApiRequest post(String path, String json) {
        return new ApiRequest("POST", path, Optional.of(json));
    }

    public static ApiRequest put(String path, String json) {
        return new ApiRequest("PUT", path, Optional.of(json));
    }

    Map<String, String> headers(Optional<String> token) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("User-Agent", "ouro-probe");
        headers.put("Accept", "application/json");
        body.ifPresent(json -> headers.put("Content-Type", "application/json"));
        token.ifPresent(secret -> headers.put("Authorization", "Bearer " + secret));
        return headers;
    }

    byte[] bodyBytes() {
        return body.orElse("").getBytes(StandardCharsets.UTF_8);
    }
}
