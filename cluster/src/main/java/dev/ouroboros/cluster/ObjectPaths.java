package dev.ouroboros.cluster;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.model.json.Json;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Paths of objects of any kind: the server is asked for each kind's resource once. */
public final class ObjectPaths {
    private static final String DEFAULT_NAMESPACE = "default";

    private final Api api;
    private final Map<String, Json> resources = new ConcurrentHashMap<>();

    public ObjectPaths(Api api) {
        this.api = api;
    }

    /** Whether the server knows the kind. */
    public boolean isServed(Json object) throws ApiException {
        try {
            return known(object).isPresent();
        } catch (ApiException e) {
            if (e.kind() == Kind.NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }

    /** @throws ApiException NOT_FOUND when the server does not know the kind */
    public ApiPath of(Json object) throws ApiException {
        return collectionOf(object).named(object.at("metadata", "name").text().orElse(""));
    }

    /** @throws ApiException NOT_FOUND when the server does not know the kind */
    public ApiPath collectionOf(Json object) throws ApiException {
        Json resource = known(object)
                .orElseThrow(() -> new ApiException(
                        Kind.NOT_FOUND,
                        "the server does not know the kind "
                                + object.at("kind").text().orElse("") + " of "
                                + object.at("apiVersion").text().orElse("")
                                + "; its CustomResourceDefinition comes first"));
        String namespace = object.at("metadata", "namespace").text().orElse(DEFAULT_NAMESPACE);
        return new ApiPath(root(object) + (resource.at("namespaced").isTrue() ? "/namespaces/" + namespace : "") + "/"
                + resource.at("name").text().orElse(""));
    }

    private static String root(Json object) {
        String version = object.at("apiVersion").text().orElse("");
        return version.contains("/") ? "/apis/" + version : "/api/" + version;
    }

    /** The resource of a kind. One that was not found is asked for again: its CustomResourceDefinition may just have been created. */
    private Optional<Json> known(Json object) throws ApiException {
        String root = root(object);
        String kind = object.at("kind").text().orElse("");
        Json before = resources.get(root + " " + kind);
        if (before != null) {
            return Optional.of(before);
        }
        Optional<Json> found = api.get(new ApiPath(root)).at("resources").items().stream()
                .filter(resource -> resource.at("kind").equals(Json.text(kind)))
                .filter(resource -> !resource.at("name").text().orElse("").contains("/"))
                .findFirst();
        found.ifPresent(resource -> resources.put(root + " " + kind, resource));
        return found;
    }
}
