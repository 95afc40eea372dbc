package dev.ouroboros.cluster;

import dev.ouroboros.api.Api.Grace;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The Node objects of a cluster, for who adds machines and takes them away. */
public final class NodeObjects {
    private static final ApiPath NODES = ApiPath.core("nodes");

    private final ClusterClient client;

    public NodeObjects(ClusterClient client) {
        this.client = client;
    }

    /**
     * Whether a machine is ready as it runs now: empty when it is, why not when it is not.
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

    private static Optional<String> whyNotReady(Json node, String bootId) {
        if (!node.at("status", "nodeInfo", "bootID").text().equals(Optional.of(bootId))) {
            return Optional.of("its kubelet has not said anything since it was booted");
        }
        Optional<Json> ready = node.at("status", "conditions").items().stream()
                .filter(each -> each.at("type").text().equals(Optional.of("Ready")))
                .findFirst();
        boolean isReady = ready.filter(each -> each.at("status").text().equals(Optional.of("True")))
                .isPresent();
        return isReady
                ? Optional.empty()
                : Optional.of(ready.flatMap(each -> each.at("message").text()).orElse("it does not say why"));
    }

    /**
     * The block of addresses that pods of each Node have, by its name; without those that have none yet. The first where there are two.
     *
     * @throws ProblemException API_UNAVAILABLE when asking again may help, API_REFUSED when not
     */
    public SortedMap<String, String> podCidrs() {
        return client.asking("nodes", () -> {
            SortedMap<String, String> cidrs = new TreeMap<>();
            for (Json node : client.api().get(NODES).at("items").items()) {
                node.at("spec", "podCIDR").text().ifPresent(cidr -> cidrs.put(Metadata.name(node), cidr));
            }
            return cidrs;
        });
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
