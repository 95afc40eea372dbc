package dev.ouroboros.cluster;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.leader.LeaderLease;
import dev.ouroboros.model.problem.ProblemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Leader-election Leases of controller manager and scheduler, as {@code start} follows and releases those of its temporary ones. */
public final class LeaderLeases {
    private static final String NAMESPACE = "kube-system";
    static final ApiPath ALL = ApiPath.of("coordination.k8s.io/v1", NAMESPACE, "leases");

    private final ClusterClient client;
    private final String nodeName;
    private final Set<Component> onHostNetwork;

    /**
     * @param nodeName host name of the node: a temporary component runs in its network, so its identity begins with it
     * @param onHostNetwork components whose self-hosted pods do so too: theirs cannot be told apart, and are left to expire
     */
    public LeaderLeases(ClusterClient client, String nodeName, Set<Component> onHostNetwork) {
        this.client = client;
        this.nodeName = nodeName;
        this.onHostNetwork = Set.copyOf(onHostNetwork);
    }

    /** The components whose Lease a temporary copy on this node holds. */
    public Evidence<List<Component>> heldByTemporary() {
        return client.looking("Leases in " + NAMESPACE, () -> {
            List<Component> held = new ArrayList<>();
            for (Component component : LeaderLease.LEADERS) {
                if (lease(component)
                        .filter(lease -> isTemporary(component, lease))
                        .isPresent()) {
                    held.add(component);
                }
            }
            return held;
        });
    }

    private Optional<Json> lease(Component component) throws ApiException {
        try {
            return Optional.of(client.api().get(ALL.named(component.id())));
        } catch (ApiException e) {
            if (e.kind() == Kind.NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Follows who holds them; a leader renews its own every other second. */
    public void follow(FollowedCollections followed) {
        for (Component component : LeaderLease.LEADERS) {
            followed.follow(
                    component.id() + "-lease",
                    ALL.with("fieldSelector", "metadata.name=" + component.id()),
                    lease -> lease.at("spec", "holderIdentity"));
        }
    }

    private boolean isTemporary(Component component, Json lease) {
        return !onHostNetwork.contains(component)
                && LeaderLease.of(component, lease)
                        .filter(held -> held.isOf(nodeName))
                        .isPresent();
    }

    /**
     * Empties the holder, if it is still the temporary copy, which the caller knows to have ended.
     *
     * @throws ProblemException API_UNAVAILABLE also when somebody else wrote the Lease just now
     */
    public void release(Component component) {
        client.changing("release Lease " + NAMESPACE + "/" + component.id(), () -> {
            Optional<Json> temporary = lease(component).filter(lease -> isTemporary(component, lease));
            if (temporary.isPresent()) {
                client.api().update(ALL.named(component.id()), LeaderLease.released(temporary.get()));
            }
        });
    }
}
