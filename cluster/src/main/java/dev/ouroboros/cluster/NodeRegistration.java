package dev.ouroboros.cluster;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.net.Cidr;
import dev.ouroboros.core.net.NodeCidrs;
import dev.ouroboros.core.pivot.PivotObservation.NodeView;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The Node object of one machine and the labels that make it a control-plane node. A kubelet may not give itself a
 * {@code node-role.kubernetes.io/} label (NodeRestriction admission), so somebody with the right to has to.
 */
public final class NodeRegistration {
    private final ClusterClient client;
    private final String nodeName;
    private final Set<String> labels;
    private final NodeCidrs cidrs;

    /**
     * @param labels keys of the control-plane labels, whose value is empty
     * @param cidrs how nodes get their pod addresses: a CNI plugin may need them before a controller manager gives them
     */
    public NodeRegistration(ClusterClient client, String nodeName, Set<String> labels, NodeCidrs cidrs) {
        this.client = client;
        this.nodeName = nodeName;
        this.labels = Set.copyOf(labels);
        this.cidrs = cidrs;
    }

    public String name() {
        return nodeName;
    }

    public Evidence<NodeView> observe() {
        try {
            List<Node> all = client.api().nodes().list().getItems();
            Optional<Node> own = all.stream()
                    .filter(node -> nodeName.equals(node.getMetadata().getName()))
                    .findFirst();
            List<String> others = all.stream()
                    .filter(node -> !nodeName.equals(node.getMetadata().getName()) && isControlPlane(node))
                    .map(node -> node.getMetadata().getName())
                    .sorted()
                    .toList();
            return Evidence.known(
                    new NodeView(own.isPresent(), own.filter(this::isAdmitted).isPresent(), others));
        } catch (KubernetesClientException e) {
            return Evidence.unknown(client.problem("Node " + nodeName, e).describe());
        }
    }

    /** Tells when {@link #observe} may find something else. */
    public InformerWatch watch(Runnable changed) {
        return new InformerWatch(
                ChangeNotifier.start(client.api().nodes().runnableInformer(0), changed, this::decisive));
    }

    /** A kubelet writes its Node's status all the time. */
    private Object decisive(Node node) {
        return List.of(isControlPlane(node), isAdmitted(node));
    }

    private boolean isControlPlane(Node node) {
        Map<String, String> present = node.getMetadata().getLabels();
        return present != null && labels.stream().anyMatch(present::containsKey);
    }

    private boolean isAdmitted(Node node) {
        Map<String, String> present = node.getMetadata().getLabels();
        return present != null && present.keySet().containsAll(labels) && !needsCidr(node);
    }

    private boolean needsCidr(Node node) {
        return !cidrs.ranges().isEmpty()
                && (node.getSpec() == null || node.getSpec().getPodCIDR() == null);
    }

    /**
     * Adds the labels to the Node, which must exist, and gives it pod addresses that no other has; everything else stays.
     *
     * @throws ProblemException API_REFUSED when no pod addresses are left
     */
    public void admit() {
        Map<String, String> wanted = new TreeMap<>();
        labels.forEach(label -> wanted.put(label, ""));
        NodeBuilder patch = new NodeBuilder()
                .withNewMetadata()
                .withName(nodeName)
                .withLabels(wanted)
                .endMetadata();
        client.asking("admit Node " + nodeName, () -> {
            List<Node> all = client.api().nodes().list().getItems();
            if (all.stream()
                    .filter(node -> nodeName.equals(node.getMetadata().getName()))
                    .anyMatch(this::needsCidr)) {
                List<String> blocks =
                        freeBlocks(all).stream().map(Cidr::toString).toList();
                patch.withNewSpec()
                        .withPodCIDR(blocks.getFirst())
                        .withPodCIDRs(blocks)
                        .endSpec();
            }
            return client.api().nodes().withName(nodeName).patch(PatchContext.of(PatchType.JSON_MERGE), patch.build());
        });
    }

    private List<Cidr> freeBlocks(List<Node> nodes) {
        List<Cidr> taken = nodes.stream()
                .filter(node -> node.getSpec() != null && node.getSpec().getPodCIDRs() != null)
                .flatMap(node -> node.getSpec().getPodCIDRs().stream())
                .map(Cidr::parse)
                .toList();
        return cidrs.next(taken)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.API_REFUSED,
                        "Node " + nodeName,
                        "no pod addresses are left of " + cidrs.ranges(),
                        "a block for each node",
                        "give the cluster a larger pod CIDR"));
    }
}
