package dev.ouroboros.api;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * A place in the API, with its query.
 *
 * @param text what stands in the request line
 */
public record ApiPath(String text) {
    /** A collection of the core group. */
    public static ApiPath core(String resource) {
        return new ApiPath("/api/v1/" + resource);
    }

    public static ApiPath core(String namespace, String resource) {
        return new ApiPath("/api/v1/namespaces/" + namespace + "/" + resource);
    }

    /** A collection in all namespaces. */
    public static ApiPath of(String groupVersion, String resource) {
        return new ApiPath("/apis/" + groupVersion + "/" + resource);
    }

    /** @param groupVersion for example {@code apps/v1} */
    public static ApiPath of(String groupVersion, String namespace, String resource) {
        return new ApiPath("/apis/" + groupVersion + "/namespaces/" + namespace + "/" + resource);
    }

    public ApiPath named(String name) {
        return new ApiPath(text + "/" + name);
    }

    public ApiPath with(String parameter, String value) {
        String separator = text.indexOf('?') < 0 ? "?" : "&";
        return new ApiPath(text + separator + parameter + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return text;
    }
}
