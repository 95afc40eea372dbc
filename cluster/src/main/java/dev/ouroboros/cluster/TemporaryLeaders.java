package dev.ouroboros.cluster;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.LeaderLeases;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.leader.LeaderLease;
import dev.ouroboros.model.problem.ProblemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The temporary controller manager and scheduler of {@code start}, seen by the Leases that they hold as leaders. */
public final class TemporaryLeaders {
    private static final String NAMESPACE = "kube-system";

    private final ClusterClient client;
    private final LeaderLeases leases;
    private final String nodeName;
    private final Set<Component> onHostNetwork;

    /**
     * @param nodeName host name of the node: a temporary component runs in its network, so that its identity begins with this name
     * @param onHostNetwork components whose self-hosted pods run in that network too: their identities cannot be told apart, and their Leases are
     * left to expire
     */
    public TemporaryLeaders(ClusterClient client, String nodeName, Set<Component> onHostNetwork) {
        this.client = client;
        this.leases = new LeaderLeases(client.api());
        this.nodeName = nodeName;
        this.onHostNetwork = Set.copyOf(onHostNetwork);
    }

    /** The components whose Lease a temporary copy on this node holds. */
    public Evidence<List<Component>> leading() {
        return client.looking("Leases in " + NAMESPACE, () -> {
            List<Component> held = new ArrayList<>();
            for (Component component : LeaderLease.LEADERS) {
                if (heldByTemporary(component).isPresent()) {
                    held.add(component);
                }
            }
            return held;
        });
    }

    private Optional<LeaderLease> heldByTemporary(Component component) throws ApiException {
        return onHostNetwork.contains(component)
                ? Optional.empty()
                : leases.read(component).filter(held -> held.isOf(nodeName));
    }

    /** Follows the Leases; a leader renews its own every other second. */
    public void follow(FollowedCollections followed) {
        for (Component component : LeaderLease.LEADERS) {
            followed.follow(
                    component.id() + "-lease",
                    LeaderLeases.ALL.with("fieldSelector", "metadata.name=" + component.id()),
                    lease -> lease.at("spec", "holderIdentity"));
        }
    }

    /**
     * Releases the Lease if the temporary copy, which the caller knows to have ended, still holds it.
     *
     * @throws ProblemException API_UNAVAILABLE also when somebody else wrote the Lease just now
     */
    public void release(Component component) {
        client.changing("release Lease " + NAMESPACE + "/" + component.id(), () -> {
            Optional<LeaderLease> temporary = heldByTemporary(component);
            if (temporary.isPresent()) {
                leases.release(temporary.get());
            }
        });
    }
}
