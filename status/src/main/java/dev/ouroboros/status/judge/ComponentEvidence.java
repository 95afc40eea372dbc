package dev.ouroboros.status.judge;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.status.seen.SavedSlots;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * All that was seen of one component.
 *
 * @param workload its controller
 * @param apiPods its pods in the API, on all nodes, static ones among them; copies that stand in for it are not
 * @param runtimePods its pods in this node's container runtime, copies among them
 * @param keeper what the keeper says
 * @param slots its checkpoints on this node
 */
record ComponentEvidence(
        ComponentName name,
        Optional<Workload> workload,
        List<ApiPod> apiPods,
        List<RuntimePod> runtimePods,
        Optional<KeeperWord> keeper,
        Optional<Evidence<SavedSlots>> slots) {
    /** Why pods of it are not ready, in the kubelets' words, each with its node where pods are on several; empty for nothing. */
    String trouble() {
        List<ApiPod> notReady = apiPods.stream().filter(pod -> !pod.ready()).toList();
        return areOnSeveralNodes()
                ? notReady.stream()
                        .map(ComponentEvidence::troubleWithItsNode)
                        .distinct()
                        .sorted()
                        .collect(Collectors.joining("; "))
                : notReady.stream()
                        .map(ApiPod::trouble)
                        .filter(text -> !text.isEmpty())
                        .findFirst()
                        .orElse("");
    }

    private boolean areOnSeveralNodes() {
        return apiPods.stream()
                        .filter(ApiPod::isPlaced)
                        .map(ApiPod::node)
                        .distinct()
                        .count()
                > 1;
    }

    /** Also where no kubelet says why: that of a node that is off says nothing. */
    private static String troubleWithItsNode(ApiPod pod) {
        return (pod.isPlaced() ? pod.node() : "on no node")
                + ": "
                + (pod.trouble().isEmpty() ? "not ready" : pod.trouble());
    }

    /** Whether the component is missing: no source tells of it, it has no checkpoint, and nothing of it runs or ran. */
    boolean isMissing() {
        return workload.isEmpty() && apiPods.isEmpty() && runtimePods.isEmpty() && keeper.isEmpty() && slots.isEmpty();
    }

    boolean asksForCheckpoint() {
        return slots.isPresent()
                || keeper.isPresent()
                || workload.filter(Workload::asksForCheckpoint).isPresent();
    }
}
