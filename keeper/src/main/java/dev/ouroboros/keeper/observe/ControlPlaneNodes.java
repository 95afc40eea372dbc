package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.KubernetesServiceEndpoints;
import dev.ouroboros.model.endpoints.ServiceEndpoints;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.manifest.InternalAddresses;
import dev.ouroboros.model.manifest.ReadyCondition;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * The addresses of all control-plane nodes, but for those that are gone: the cluster has not heard of such a node for as long as it lets one be silent (its
 * condition Ready is Unknown, which the controller manager says 40 s after the last word of its kubelet), and nobody has answered this node there either. This
 * node is one of them as long as no other one serves: it gets its label back ({@code HouseKeeping}). Read when somebody asks, which is only where there are several.
 */
final class ControlPlaneNodes implements KubernetesServiceEndpoints.Members {
    private final Api client;
    private final ClusterGuard guard;
    private final Supplier<Set<String>> labels;
    private final String ownAddress;
    private final OtherServers others;

    /** @param labels that make a control-plane node; none while they are not known */
    ControlPlaneNodes(
            Api client, ClusterGuard guard, Supplier<Set<String>> labels, String ownAddress, OtherServers others) {
        this.client = client;
        this.guard = guard;
        this.labels = labels;
        this.ownAddress = ownAddress;
        this.others = others;
    }

    @Override
    public Evidence<Set<String>> addresses() {
        Set<String> asked = labels.get();
        if (asked.isEmpty()) {
            return Evidence.unknown("what makes a control-plane node is not known");
        }
        try {
            guard.require();
            Set<String> silent = others.away().get();
            Set<String> addresses = new TreeSet<>();
            if (others.ready().get().is(count -> count == 0)) {
                addresses.add(ownAddress);
            }
            // While an upgrade brings another label, some have the one and some the other.
            for (String label : asked) {
                ApiPath nodes = ApiPath.core("nodes").with("labelSelector", label);
                client.get(nodes).at("items").items().stream()
                        .flatMap(node -> InternalAddresses.of(node)
                                .map(ServiceEndpoints::written)
                                .filter(address -> !(ReadyCondition.isUnknown(node) && silent.contains(address))))
                        .forEach(addresses::add);
            }
            return Evidence.known(addresses);
        } catch (ApiException e) {
            return Evidence.unknown(String.valueOf(e.getMessage()));
        }
    }
}
