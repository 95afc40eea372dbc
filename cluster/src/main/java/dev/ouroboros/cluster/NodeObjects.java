package dev.ouroboros.cluster;

import dev.ouroboros.api.Api.Grace;
import dev.ouroboros.api.Api.PatchType;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.endpoints.ServiceEndpoints;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.leader.LeaderLease;
import dev.ouroboros.model.problem.ProblemException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The Nodes of a cluster and what its control plane runs on them, for commands that add and remove machines. */
public final class NodeObjects {
    private static final ApiPath NODES = ApiPath.core("nodes");

    private final ClusterClient client;

    public NodeObjects(ClusterClient client) {
        this.client = client;
    }

    /**
     * Why a machine is not ready since its last boot; empty when it is.
     *
     * @param bootId the machine's {@code /proc/sys/kernel/random/boot_id}: a Node stays ready for a while after its machine has ended
     */
    public Evidence<Optional<String>> whyNotReady(String node, String bootId) {
        return client.looking(
                "Node " + node,
                () -> client.api()
                        .find(NODES.named(node))
                        .map(found -> whyNotReady(found, bootId))
                        .orElse(Optional.of("there is no such Node yet")));
    }

    /** The result of {@link #whyNotReady} in words. */
    public static String describe(Evidence<Optional<String>> seen) {
        return switch (seen) {
            case Evidence.Known<Optional<String>>(Optional<String> why) -> why.orElse("it has just got ready");
            case Evidence.Unknown<Optional<String>>(String why) -> why;
        };
    }

    /** Whether a machine's kubelet has reported since it was booted, even if only that it is not ready. */
    public boolean hasRegistered(String node, String bootId) {
        return client.looking("Node " + node, () -> client.api().find(NODES.named(node)))
                .is(found ->
                        found.filter(object -> hasRegistered(object, bootId)).isPresent());
    }

    private static boolean hasRegistered(Json node, String bootId) {
        return node.at("status", "nodeInfo", "bootID").text().equals(Optional.of(bootId));
    }

    private static Optional<String> whyNotReady(Json node, String bootId) {
        if (!hasRegistered(node, bootId)) {
            return Optional.of("its kubelet has not said anything since it was booted");
        }
        return isReady(node)
                ? Optional.empty()
                : Optional.of(
                        ready(node).flatMap(each -> each.at("message").text()).orElse("it does not say why"));
    }

    /** Whether a Node's condition {@code Ready} is true: its kubelet has reported not long ago. */
    public static boolean isReady(Json node) {
        return ready(node)
                .filter(each -> each.at("status").text().equals(Optional.of("True")))
                .isPresent();
    }

    private static Optional<Json> ready(Json node) {
        return node.at("status", "conditions").items().stream()
                .filter(each -> each.at("type").text().equals(Optional.of("Ready")))
                .findFirst();
    }

    /** For each Node, by its name, whether it has the label, with any value. */
    public Evidence<Map<String, Boolean>> labelled(String key) {
        return client.looking(
                "Nodes",
                () -> client.api().get(NODES).at("items").items().stream()
                        .collect(Collectors.toUnmodifiableMap(
                                node -> node.at("metadata", "name").text().orElse(""),
                                node -> node.at("metadata", "labels", key)
                                        .text()
                                        .isPresent())));
    }

    /**
     * Gives the Node a label without a value.
     *
     * @throws ProblemException API_UNAVAILABLE when asking again may help, API_REFUSED when not
     */
    public void label(String node, String key) {
        label(node, Set.of(key), Json.text(""));
    }

    /**
     * Takes labels from the Node, if it has them.
     *
     * @throws ProblemException API_UNAVAILABLE when asking again may help, API_REFUSED when not
     */
    public void unlabel(String node, Set<String> keys) {
        label(node, keys, Json.absent());
    }

    private void label(String node, Set<String> keys, Json value) {
        Json.Fields labels = Json.object();
        for (String key : keys) {
            labels = labels.with(key, value);
        }
        Json.Fields changed = Json.object().with("metadata", Json.object().with("labels", labels));
        client.changing("Node " + node, () -> client.api().patch(NODES.named(node), PatchType.MERGE, changed));
    }

    /**
     * Scales controller manager and scheduler up to so many replicas, where there are fewer.
     *
     * @throws ProblemException API_UNAVAILABLE when asking again may help, API_REFUSED when not
     */
    public void scaleLeaders(int replicas) {
        for (Component leader : LeaderLease.LEADERS) {
            ApiPath deployment =
                    ApiPath.of("apps/v1", "kube-system", "deployments").named(leader.id());
            client.changing("Deployment kube-system/" + leader.id(), () -> {
                long now = client.api()
                        .get(deployment)
                        .at("spec", "replicas")
                        .integer()
                        .orElse(1);
                if (now < replicas) {
                    client.api()
                            .patch(
                                    deployment,
                                    PatchType.MERGE,
                                    Json.object().with("spec", Json.object().with("replicas", Json.number(replicas))));
                }
            });
        }
    }

    /** The addresses that the {@code kubernetes} Service leads to. */
    public Evidence<Set<String>> servers() {
        return client.looking(
                "Endpoints default/kubernetes",
                () -> ServiceEndpoints.serversIn(client.api()
                                .get(ApiPath.core(ServiceEndpoints.NAMESPACE, "endpoints")
                                        .named(ServiceEndpoints.NAME))
                                .at("subsets"))
                        .stream()
                        .map(server -> server.address().getHostAddress())
                        .collect(Collectors.toUnmodifiableSet()));
    }

    /**
     * Removes the Node.
     *
     * @return whether it was there
     * @throws ProblemException API_UNAVAILABLE when asking again may help, API_REFUSED when not
     */
    public boolean remove(String node) {
        return client.asking("Node " + node, () -> {
            Optional<Json> object = client.api().find(NODES.named(node));
            Optional<String> uid =
                    object.flatMap(found -> found.at("metadata", "uid").text());
            return uid.isPresent() && client.deleteIfThere(NODES.named(node), uid.get(), Grace.ITS_OWN);
        });
    }
}
