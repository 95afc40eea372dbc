package dev.ouroboros.change;

import dev.ouroboros.change.decide.Annotated;
import dev.ouroboros.change.decide.DrainedPod;
import dev.ouroboros.change.decide.KubeletChange;
import dev.ouroboros.change.decide.KubeletRoll.Seen;
import dev.ouroboros.change.decide.KubeletRoll.State;
import dev.ouroboros.change.decide.NodeKubelet;
import dev.ouroboros.cluster.ClusterWriter.Outcome;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.manifest.ReadyCondition;
import dev.ouroboros.model.problem.ProblemException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** The kubelets of a cluster, as its Nodes tell. */
final class NodeKubelets {
    private static final String NODES = "/api/v1/nodes";
    private static final String PATH = NODES + "/";
    private static final int MOST_ATTEMPTS = 10;
    /** So many evictions take seconds where an admission webhook is slow: who holds a Lease meanwhile keeps it. */
    private static final int MOST_AT_ONCE = 10;

    private final ChangeApi api;
    /** Why a pod that was asked to leave may not; empty when all may. */
    private String refusal = "";
    /** How many were asked so far: who may not leave keeps no other from being asked. */
    private int asked;

    NodeKubelets(ChangeApi api) {
        this.api = api;
    }

    List<NodeKubelet> look() {
        return api.list(NODES, "").stream()
                .map(node -> new NodeKubelet(node, ReadyCondition.holds(node)))
                .toList();
    }

    Seen look(State state) {
        return new Seen(
                look(), state.drain().map(drain -> leaving(drain.node())).orElse(List.of()), refusal);
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
        return api.replace(PATH + node.name(), both) instanceof Outcome.Written;
    }

    /** Those that have to leave a node that is drained. */
    private List<DrainedPod> leaving(String node) {
        return api
                .list(
                        "/api/v1/pods",
                        "fieldSelector=" + URLEncoder.encode("spec.nodeName=" + node, StandardCharsets.UTF_8))
                .stream()
                .flatMap(pod -> DrainedPod.of(pod).stream())
                .toList();
    }

    /**
     * Has a node take no pods, for the sake of a change.
     *
     * @return whether it was written; the Node may have been changed since it was read, or be gone
     */
    boolean cordon(NodeKubelet node, KubeletChange change) {
        Json.Fields marked = Annotated.with(node.node(), KubeletWish.CORDON_ANNOTATION, Optional.of(change.text()));
        Json.Fields spec = node.node().at("spec") instanceof Json.Fields some ? some : Json.object();
        return api.replace(PATH + node.name(), marked.with("spec", spec.with("unschedulable", Json.bool(true))))
                instanceof Outcome.Written;
    }

    /**
     * Has a node take pods again if we asked for the contrary, or removes what is left of that. Kubelet and keeper write the Node, too: it is read again as often as one of them was
     * faster.
     */
    void uncordon(NodeKubelet node) {
        NodeKubelet now = node;
        for (int attempt = 0; attempt < MOST_ATTEMPTS && now.cordonedBy().isPresent(); attempt++) {
            Json.Fields unmarked = Annotated.with(now.node(), KubeletWish.CORDON_ANNOTATION, Optional.empty());
            Json.Fields spec = now.node().at("spec") instanceof Json.Fields some ? some : Json.object();
            if (!(api.replace(PATH + node.name(), unmarked.with("spec", spec.without("unschedulable")))
                    instanceof Outcome.Conflict)) {
                return;
            }
            now = new NodeKubelet(api.read(PATH + node.name()), node.isReady());
        }
    }

    /** Asks pods to leave. One that may not now, as a disruption budget says or a server that has much to do, is asked again by who looks again. */
    void evict(List<DrainedPod> pods) {
        Evictions evictions = Evictions.of(api);
        refusal = "";
        List<DrainedPod> turn = new ArrayList<>(pods);
        Collections.rotate(turn, -asked);
        asked += MOST_AT_ONCE;
        for (DrainedPod pod : turn.subList(0, Math.min(turn.size(), MOST_AT_ONCE))) {
            try {
                evictions.evict(pod.namespace(), pod.name(), pod.uid());
            } catch (ProblemException e) {
                refusal = pod + ": " + e.problems().getFirst().what();
            }
        }
    }

    /** Why a pod that was asked to leave may not; empty when all may. */
    String refusal() {
        return refusal;
    }

    private static Optional<String> given(String text) {
        return Optional.of(text).filter(some -> !some.isEmpty());
    }
}
