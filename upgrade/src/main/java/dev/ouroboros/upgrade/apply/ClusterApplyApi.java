package dev.ouroboros.upgrade.apply;

import dev.ouroboros.change.decide.EarlierServers;
import dev.ouroboros.change.decide.HeldRollout;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.cluster.ClusterWriter;
import dev.ouroboros.cluster.ClusterWriter.Outcome;
import dev.ouroboros.cluster.Metadata;
import dev.ouroboros.cluster.NodeObjects;
import dev.ouroboros.cluster.ObjectPaths;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.ReadyCondition;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.upgrade.decide.RoleMove;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The API of a real cluster. The server is asked for the path of each kind, so that manifests of any kind can be applied. */
public final class ClusterApplyApi implements ApplyApi {
    private static final String NODES = "/api/v1/nodes";

    private final ClusterClient client;
    private final ObjectPaths paths;
    private final ClusterReader reader;
    private final ClusterWriter writer;

    public ClusterApplyApi(ClusterClient client) {
        this.client = client;
        this.paths = new ObjectPaths(client.api());
        this.reader = new ClusterReader(client);
        this.writer = new ClusterWriter(client);
    }

    @Override
    public boolean serves(Json manifest) {
        return client.asking(kind(manifest), () -> paths.isServed(manifest));
    }

    @Override
    public Optional<Json> read(Json manifest) {
        if (!serves(manifest)) {
            return Optional.empty();
        }
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
    public void label(RoleMove move) {
        NodeObjects nodes = new NodeObjects(client);
        Set<String> moving = having(nodes, move.from());
        for (String role : move.to()) {
            Set<String> labelled = having(nodes, Set.of(role));
            moving.stream().filter(node -> !labelled.contains(node)).forEach(node -> nodes.label(node, role));
        }
    }

    /** The nodes that have each of these labels, of which there is at least one. */
    private static Set<String> having(NodeObjects nodes, Set<String> labels) {
        return labels.stream()
                .map(label -> having(nodes, label))
                .reduce((one, other) -> one.stream().filter(other::contains).collect(Collectors.toSet()))
                .orElseThrow();
    }

    private static Set<String> having(NodeObjects nodes, String label) {
        return switch (nodes.labelled(label)) {
            case Evidence.Known<Map<String, Boolean>>(Map<String, Boolean> all) ->
                all.entrySet().stream()
                        .filter(Map.Entry::getValue)
                        .map(Map.Entry::getKey)
                        .collect(Collectors.toSet());
            case Evidence.Unknown<Map<String, Boolean>>(String why) ->
                throw ProblemException.of(ErrorCode.API_UNAVAILABLE, "Nodes", why, "", "ouro status");
        };
    }

    @Override
    public Optional<String> earlierServers(Json daemonSet) {
        String namespace = daemonSet.at("metadata", "namespace").text().orElse("");
        return EarlierServers.waitedFor(daemonSet, pods(namespace, Map.of()), listed(NODES, Map.of()));
    }

    @Override
    public List<Json> pods(String namespace, Map<String, String> labels) {
        // Items of a list do not say what they are; whoever deletes one has to.
        return listed("/api/v1/namespaces/" + namespace + "/pods", labels).stream()
                .<Json>map(pod ->
                        ((Json.Fields) pod).with("apiVersion", Json.text("v1")).with("kind", Json.text("Pod")))
                .toList();
    }

    @Override
    public List<Json> nodes(Map<String, String> labels) {
        return listed(NODES, labels).stream().filter(ReadyCondition::holds).toList();
    }

    @Override
    public HeldRollout held(Json daemonSet) {
        String namespace = daemonSet.at("metadata", "namespace").text().orElse("");
        Map<String, String> labels = Metadata.texts(daemonSet.at("spec", "selector", "matchLabels"));
        return HeldRollout.of(daemonSet, pods(namespace, labels), listed(NODES, Map.of()));
    }

    private List<Json> listed(String collection, Map<String, String> labels) {
        String selector = labels.entrySet().stream()
                .map(label -> URLEncoder.encode(label.getKey() + "=" + label.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("%2C"));
        return reader.require(collection + "?labelSelector=" + selector)
                .at("items")
                .items();
    }

    private String path(Json object) {
        requireServed(object);
        return client.asking(kind(object), () -> paths.of(object)).text();
    }

    private String collection(Json object) {
        requireServed(object);
        return client.asking(kind(object), () -> paths.collectionOf(object)).text();
    }

    private void requireServed(Json object) {
        if (!serves(object)) {
            throw ProblemException.of(
                    ErrorCode.API_UNAVAILABLE,
                    kind(object),
                    "the server does not know it",
                    "",
                    "apply its CustomResourceDefinition first: kubectl api-resources shows what the server knows");
        }
    }

    private static String kind(Json object) {
        return "the kind " + object.at("kind").text().orElse("") + " of "
                + object.at("apiVersion").text().orElse("");
    }
}
