package dev.ouroboros.change;

import dev.ouroboros.change.decide.Annotated;
import dev.ouroboros.change.decide.KubeletChange;
import dev.ouroboros.change.decide.NodeKubelet;
import dev.ouroboros.cluster.ClusterWriter.Outcome;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.manifest.ReadyCondition;
import java.util.List;
import java.util.Optional;

/** The kubelets of a cluster, as its Nodes tell. */
final class NodeKubelets {
    private static final String NODES = "/api/v1/nodes";

    private final ChangeApi api;

    NodeKubelets(ChangeApi api) {
        this.api = api;
    }

    List<NodeKubelet> look() {
        return api.list(NODES, "").stream()
                .map(node -> new NodeKubelet(node, ReadyCondition.holds(node)))
                .toList();
    }

    /**
     * Writes what is wished, and by which change.
     *
     * @param text empty to wish nothing
     * @return whether it was written; the Node may have been changed since it was read, or be gone
     */
    boolean wish(NodeKubelet node, String text, KubeletChange change) {
        Json.Fields wished = Annotated.with(node.node(), KubeletWish.ANNOTATION, given(text));
        Json.Fields both = Annotated.with(wished, KubeletWish.BEFORE_ANNOTATION, Optional.of(change.text()));
        return api.replace(NODES + "/" + node.name(), both) instanceof Outcome.Written;
    }

    private static Optional<String> given(String text) {
        return Optional.of(text).filter(some -> !some.isEmpty());
    }
}
