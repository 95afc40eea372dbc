package dev.ouroboros.cluster;

import dev.ouroboros.core.component.Component;
import dev.ouroboros.core.evidence.Evidence;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
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
        try {
            List<Component> held = new ArrayList<>();
            for (Component component : LEADERS) {
                Lease lease = client.api()
                        .leases()
                        .inNamespace(NAMESPACE)
                        .withName(component.id())
                        .get();
                if (lease != null && isTemporary(component, lease)) {
                    held.add(component);
                }
            }
            return Evidence.known(held);
        } catch (KubernetesClientException e) {
            return Evidence.unknown(client.problem("Leases in " + NAMESPACE, e).describe());
        }
    }

    /** Tells when a Lease has another holder; a leader renews its own every other second. */
    public InformerWatch watch(Runnable changed) {
        return new InformerWatch(LEADERS.stream()
                .map(component -> ChangeNotifier.start(
                        client.api()
                                .leases()
                                .inNamespace(NAMESPACE)
                                .withName(component.id())
                                .runnableInformer(0),
                        changed,
                        lease -> Optional.ofNullable(lease.getSpec().getHolderIdentity())))
                .toArray(SharedIndexInformer<?>[]::new));
    }

    private boolean isTemporary(Component component, Lease lease) {
        return !onHostNetwork.contains(component) && isOfNode(lease);
    }

    private boolean isOfNode(Lease lease) {
        String holder = lease.getSpec().getHolderIdentity();
        // client-go's identity is <host name>_<UUID>.
        return holder != null && holder.startsWith(nodeName + "_");
    }

    /**
     * Empties the holder, if it is still the temporary copy, which the caller knows to have ended.
     */
    public void release(Component component) {
        client.asking(
                "release Lease " + NAMESPACE + "/" + component.id(),
                () -> client.api()
                        .leases()
                        .inNamespace(NAMESPACE)
                        .withName(component.id())
                        .edit(lease -> isTemporary(component, lease)
                                ? new LeaseBuilder(lease)
                                        .editSpec()
                                        .withHolderIdentity("")
                                        .withLeaseDurationSeconds(1)
                                        .endSpec()
                                        .build()
                                : lease));
    }
}
