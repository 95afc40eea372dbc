package dev.ouroboros.upgrade.apply;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.cluster.ClusterWriter;
import dev.ouroboros.cluster.ClusterWriter.Outcome;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The API of a real cluster. The server is asked for the path of each kind, so that manifests of any kind can be applied. */
public final class ClusterApplyApi implements ApplyApi {
    private final ClusterReader reader;
    private final ClusterWriter writer;
    private final Map<String, Json> resources = new HashMap<>();

    public ClusterApplyApi(ClusterClient client) {
        this.reader = new ClusterReader(client);
        this.writer = new ClusterWriter(client);
    }

    @Override
    public boolean serves(Json manifest) {
        try {
            return known(root(manifest), manifest).isPresent();
        } catch (ProblemException e) {
            if (e.problems().getFirst().code() == ErrorCode.NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public Optional<Json> read(Json manifest) {
        try {
            Json.Fields object = (Json.Fields) reader.require(path(manifest));
            return Optional.of(
                    object.with("apiVersion", manifest.at("apiVersion")).with("kind", manifest.at("kind")));
        } catch (ProblemException e) {
            if (e.problems().getFirst().code() == ErrorCode.NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    public Optional<Json> preview(Json object) {
        try {
            return switch (writer.preview(path(object), object)) {
                case Outcome.Written(Json stored) -> Optional.of(stored);
                case Outcome.Conflict(), Outcome.Gone() ->
                    throw ProblemException.of(
                            ErrorCode.API_UNAVAILABLE,
                            path(object),
                            "was changed by somebody else just now",
                            "",
                            "run the same command again");
            };
        } catch (ProblemException e) {
            if (e.problems().getFirst().code() == ErrorCode.API_REFUSED) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    public Outcome create(Json object) {
        return writer.create(collection(object), object);
    }

    @Override
    public Outcome replace(Json object) {
        return writer.replace(path(object), ((Json.Fields) object).without("status"));
    }

    @Override
    public Outcome delete(Json object) {
        return writer.delete(path(object), object.at("metadata", "uid").text().orElse(""));
    }

    @Override
    public List<Json> pods(String namespace, Map<String, String> labels) {
        String selector = labels.entrySet().stream()
                .map(label -> URLEncoder.encode(label.getKey() + "=" + label.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("%2C"));
        return reader.require("/api/v1/namespaces/" + namespace + "/pods?labelSelector=" + selector)
                .at("items")
                .items();
    }

    private String path(Json object) {
        return collection(object) + "/" + object.at("metadata", "name").text().orElse("");
    }

    private String collection(Json object) {
        String root = root(object);
        Json resource = resource(root, object);
        String namespace = object.at("metadata", "namespace").text().orElse("default");
        return root + (resource.at("namespaced").isTrue() ? "/namespaces/" + namespace : "") + "/"
                + resource.at("name").text().orElse("");
    }

    private static String root(Json object) {
        String version = object.at("apiVersion").text().orElse("");
        return version.contains("/") ? "/apis/" + version : "/api/" + version;
    }

    private Json resource(String root, Json object) {
        return known(root, object)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.API_UNAVAILABLE,
                        root,
                        "the server does not know the kind "
                                + object.at("kind").text().orElse(""),
                        "",
                        "apply its CustomResourceDefinition first: kubectl api-resources shows what the server knows"));
    }

    /** A kind may come from a CustomResourceDefinition that was just created: a kind that was not found is asked for again. */
    private Optional<Json> known(String root, Json object) {
        String kind = object.at("kind").text().orElse("");
        Json before = resources.get(root + " " + kind);
        if (before != null) {
            return Optional.of(before);
        }
        Optional<Json> found = reader.require(root).at("resources").items().stream()
                .filter(resource -> resource.at("kind").equals(Json.text(kind)))
                .filter(resource -> !resource.at("name").text().orElse("").contains("/"))
                .findFirst();
        found.ifPresent(resource -> resources.put(root + " " + kind, resource));
        return found;
    }
}
