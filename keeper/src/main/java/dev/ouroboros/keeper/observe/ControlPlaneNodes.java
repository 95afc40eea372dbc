package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.KubernetesServiceEndpoints;
import dev.ouroboros.model.evidence.Evidence;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/** The addresses of all control-plane nodes; read when somebody asks, which is only where there are several. */
final class ControlPlaneNodes implements KubernetesServiceEndpoints.Members {
    private final Api client;
    private final ClusterGuard guard;
    private final Supplier<Set<String>> labels;

    /** @param labels that make a control-plane node; none while they are not known */
    ControlPlaneNodes(Api client, ClusterGuard guard, Supplier<Set<String>> labels) {
        this.client = client;
        this.guard = guard;
        this.labels = labels;
    }

    @Override
    public Evidence<Set<String>> addresses() {
        Set<String> asked = labels.get();
        if (asked.isEmpty()) {
            return Evidence.unknown("what makes a control-plane node is not known");
        }
        try {
            guard.require();
            Set<String> addresses = new TreeSet<>();
            // While an upgrade brings another label, some have the one and some the other.
            for (String label : asked) {
                ApiPath nodes = ApiPath.core("nodes").with("labelSelector", label);
                client.get(nodes).at("items").items().stream()
                        .flatMap(node -> node.at("status", "addresses").items().stream())
                        .filter(address -> address.at("type").text().equals(Optional.of("InternalIP")))
                        .flatMap(address -> address.at("address").text().stream())
                        .forEach(addresses::add);
            }
            return Evidence.known(addresses);
        } catch (ApiException e) {
            return Evidence.unknown(String.valueOf(e.getMessage()));
        }
    }
}
