package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.KubernetesServiceEndpoints;
import dev.ouroboros.api.Reflector;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Function;

/** Copies of what the API server has of this node and of the control plane. */
final class ApiSources {
    private final Api client;
    private final ClusterGuard guard;
    private final Signal changed;
    private final Reflector<PodSummary> pods;
    private final Reflector<ControllerSeen> daemonSets;
    private final Reflector<ControllerSeen> deployments;
    private final NodeWatch node;
    private final Reflector<Json> endpoints;

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
        this.node = new NodeWatch(client, guard, nodeName, changed::raise);
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
        lookouts.repeat("api-node", node::follow);
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
    Evidence<Optional<NodeWatch.NodeObject>> node() {
        return node.node();
    }

    /** The Node's {@code resourceVersion}; empty while it is not known. */
    Optional<String> nodeVersion() {
        return node.resourceVersion();
    }

    /** Keys of the Node's labels; none while it is not known. */
    Set<String> labels() {
        return node().orElse(Optional.empty())
                .map(node -> node.labels().keySet())
                .orElse(Set.of());
    }

    /** The subsets of the kubernetes Service's Endpoints; empty when there are none. */
    Evidence<Optional<Json>> endpoints() {
        return endpoints.value().map(found -> found.values().stream().findFirst());
    }
}
