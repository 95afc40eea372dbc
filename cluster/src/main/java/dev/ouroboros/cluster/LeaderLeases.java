package dev.ouroboros.cluster;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Leader-election Leases of controller manager and scheduler. A leader that ends does not release its Lease, so the next one
 * waits 15 s for it to expire; who knows that the holder has ended can release it at once, as client-go's ReleaseOnCancel does.
 */
public final class LeaderLeases {
    private static final String NAMESPACE = "kube-system";
    static final ApiPath ALL = ApiPath.of("coordination.k8s.io/v1", NAMESPACE, "leases");
    private static final List<Component> LEADERS = List.of(Component.CONTROLLER_MANAGER, Component.SCHEDULER);

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
            for (Component component : LEADERS) {
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
        for (Component component : LEADERS) {
            followed.follow(
                    component.id() + "-lease",
                    ALL.with("fieldSelector", "metadata.name=" + component.id()),
                    lease -> lease.at("spec", "holderIdentity"));
        }
    }

    private boolean isTemporary(Component component, Json lease) {
        return !onHostNetwork.contains(component) && isOfNode(lease);
    }

    private boolean isOfNode(Json lease) {
        // client-go's identity is <host name>_<UUID>.
        return lease.at("spec", "holderIdentity")
                .text()
                .filter(holder -> holder.startsWith(nodeName + "_"))
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
                client.api().update(ALL.named(component.id()), released(temporary.get()));
            }
        });
    }

    /** An empty holder is taken for none; a candidate waits for the end of any other from when it first saw it. */
    static Json released(Json lease) {
        Json.Fields spec = lease.at("spec") instanceof Json.Fields fields ? fields : Json.object();
        return lease instanceof Json.Fields fields
                ? fields.with(
                        "spec", spec.with("holderIdentity", Json.text("")).with("leaseDurationSeconds", Json.number(1)))
                : lease;
    }
}
