package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.KubernetesServiceEndpoints;
import dev.ouroboros.api.Reflector;
import dev.ouroboros.keeper.decide.CheckpointSummary;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** Copies of what the API server has of this node and of the control plane. */
final class ApiSources {
    private final Api client;
    private final ClusterGuard guard;
    private final Signal changed;
    private final Reflector<PodSummary> pods;
    private final Reflector<ControllerSeen> daemonSets;
    private final Reflector<ControllerSeen> deployments;
    private final Reflector<NodeObject> nodes;
    private final Reflector<Json> endpoints;

    /**
     * The Node object, as far as we look at it.
     *
     * @param uid for Events
     * @param checkpoints what the Node's annotation says of checkpoints; empty when it has none
     */
    record NodeObject(String uid, Map<String, String> labels, String kubelet, Optional<String> checkpoints) {
        NodeObject {
            labels = Map.copyOf(labels);
        }

        static NodeObject of(Json node) {
            Map<String, String> labels = new TreeMap<>();
            node.at("metadata", "labels")
                    .fields()
                    .forEach((key, value) -> labels.put(key, value.text().orElse("")));
            return new NodeObject(
                    node.at("metadata", "uid").text().orElse(""),
                    labels,
                    node.at("status", "nodeInfo", "kubeletVersion").text().orElse(""),
                    node.at("metadata", "annotations", CheckpointSummary.ANNOTATION)
                            .text());
        }
    }

    ApiSources(Api client, ClusterGuard guard, String nodeName, Signal changed) {
        this.client = client;
        this.guard = guard;
        this.changed = changed;
        this.pods = reflector(
                "pods", ApiPath.core("pods").with("fieldSelector", "spec.nodeName=" + nodeName), PodSummary::of);
        this.daemonSets = reflector(
                "daemonsets", ApiPath.of("apps/v1", Belonging.SYSTEM, "daemonsets"), ControllerSeen::daemonSet);
        this.deployments = reflector(
                "deployments", ApiPath.of("apps/v1", Belonging.SYSTEM, "deployments"), ControllerSeen::replicas);
        this.nodes = reflector(
                "node", ApiPath.core("nodes").with("fieldSelector", "metadata.name=" + nodeName), NodeObject::of);
        this.endpoints =
                reflector("endpoints", KubernetesServiceEndpoints.endpointsOnly(), object -> object.at("subsets"));
    }

    private <T> Reflector<T> reflector(String name, ApiPath path, Function<Json, T> keep) {
        return new Reflector<>(name, client, guard, path, keep, changed::raise, Reflector.Times.DEFAULT);
    }

    void start(Lookouts lookouts) {
        lookouts.repeat("api-pods", pods::follow);
        lookouts.repeat("api-daemonsets", daemonSets::follow);
        lookouts.repeat("api-deployments", deployments::follow);
        lookouts.repeat("api-node", nodes::follow);
        lookouts.repeat("api-endpoints", endpoints::follow);
    }

    Evidence<SortedMap<String, PodSummary>> pods() {
        return pods.value();
    }

    Evidence<SortedMap<String, ControllerSeen>> daemonSets() {
        return daemonSets.value();
    }

    Evidence<SortedMap<String, ControllerSeen>> deployments() {
        return deployments.value();
    }

    /** Empty when there is no Node of our name. */
    Evidence<Optional<NodeObject>> node() {
        return switch (nodes.value()) {
            case Evidence.Unknown<SortedMap<String, NodeObject>>(String reason) -> Evidence.unknown(reason);
            case Evidence.Known<SortedMap<String, NodeObject>>(var found) ->
                Evidence.known(found.values().stream().findFirst());
        };
    }

    /** Keys of the Node's labels; none while it is not known. */
    Set<String> labels() {
        return node().orElse(Optional.empty())
                .map(node -> node.labels().keySet())
                .orElse(Set.of());
    }

    /** The subsets of the kubernetes Service's Endpoints; empty when there are none. */
    Evidence<Optional<Json>> endpoints() {
        return switch (endpoints.value()) {
            case Evidence.Unknown<SortedMap<String, Json>>(String reason) -> Evidence.unknown(reason);
            case Evidence.Known<SortedMap<String, Json>>(var found) ->
                Evidence.known(found.values().stream().findFirst());
        };
    }
}
