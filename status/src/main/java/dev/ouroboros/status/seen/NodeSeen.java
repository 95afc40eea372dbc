package dev.ouroboros.status.seen;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.runtime.RuntimePod;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a node says of itself, with no API.
 *
 * @param name its host name
 * @param state what its keeper says of where things stand
 * @param agent what its agent says; empty where a keeper answers, or neither does
 * @param pods what its container runtime has
 * @param checkpoints on its disk
 * @param kubeletRuns whether there is a process of that name
 * @param kubeletVersion as the keeper remembers it
 * @param clusterId which cluster the node is part of, as the keeper remembers it; empty before it ever saw one
 * @param certificates of etcd, in the place where this project puts them, and of the kubelet
 */
public record NodeSeen(
        String name,
        Evidence<Json> state,
        Optional<Json> agent,
        Evidence<List<RuntimePod>> pods,
        Evidence<Map<ComponentName, Evidence<SavedSlots>>> checkpoints,
        Evidence<Boolean> kubeletRuns,
        Evidence<String> kubeletVersion,
        Evidence<Optional<String>> clusterId,
        Evidence<NodeCertificates> certificates) {
    /** Certificates that no pod of the API refers to. */
    public record NodeCertificates(List<DatedCertificate> etcd, List<DatedCertificate> kubelet) {
        public NodeCertificates {
            etcd = List.copyOf(etcd);
            kubelet = List.copyOf(kubelet);
        }
    }
}
