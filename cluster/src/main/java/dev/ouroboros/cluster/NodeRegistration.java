package dev.ouroboros.cluster;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.pivot.Observation.NodeView;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.Map;
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

    /** @param labels keys of the control-plane labels, whose value is empty */
    public NodeRegistration(ClusterClient client, String nodeName, Set<String> labels) {
        this.client = client;
        this.nodeName = nodeName;
        this.labels = Set.copyOf(labels);
    }

    public Evidence<NodeView> observe() {
        try {
            Node node = client.api().nodes().withName(nodeName).get();
            return Evidence.known(new NodeView(node != null, node != null && isLabelled(node)));
        } catch (KubernetesClientException e) {
            return Evidence.unknown(client.problem("Node " + nodeName, e).describe());
        }
    }

    private boolean isLabelled(Node node) {
        Map<String, String> present = node.getMetadata().getLabels();
        return present != null && present.keySet().containsAll(labels);
    }

    /** Adds the labels to the Node, which must exist; other labels stay. */
    public void label() {
        Map<String, String> wanted = new TreeMap<>();
        labels.forEach(label -> wanted.put(label, ""));
        client.asking(
                "label Node " + nodeName,
                () -> client.api()
                        .nodes()
                        .withName(nodeName)
                        .patch(
                                PatchContext.of(PatchType.JSON_MERGE),
                                new NodeBuilder()
                                        .withNewMetadata()
                                        .withName(nodeName)
                                        .withLabels(wanted)
                                        .endMetadata()
                                        .build()));
    }
}
