package dev.ouroboros.status.judge;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.status.seen.SavedSlots;
import java.util.List;
import java.util.Optional;

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
    /** Why a pod of it is not ready, in the kubelet's words; empty for nothing. */
    String trouble() {
        return apiPods.stream()
                .filter(pod -> !pod.ready())
                .map(ApiPod::trouble)
                .filter(text -> !text.isEmpty())
                .findFirst()
                .orElse("");
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
