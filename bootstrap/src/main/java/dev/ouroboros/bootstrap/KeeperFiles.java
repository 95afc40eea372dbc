package dev.ouroboros.bootstrap;

import dev.ouroboros.cluster.WorkloadReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a keeper must have on the disk of this node so that its control plane comes back after a power cut.
 *
 * @param checkpoints the keeper's store
 * @param manifests the kubelet's directory of static manifests
 * @param checkpointed workloads that ask for a checkpoint
 */
record KeeperFiles(Path checkpoints, Path manifests, List<WorkloadReference> checkpointed) {
    /** The keeper's copy of itself, which starts it when no API server runs. */
    static final String STATIC_COPY = "ouroboros-keeper.json";

    /** Written when a component has a candidate; a candidate is used while there is no last-good. */
    static final String SLOTS = "slots.json";

    KeeperFiles {
        checkpointed = List.copyOf(checkpointed);
    }

    /** For people: what is not there yet. */
    List<String> missing() {
        List<String> missing = new ArrayList<>();
        for (WorkloadReference workload : checkpointed) {
            Path slots = checkpoints
                    .resolve(workload.namespace())
                    .resolve(workload.name())
                    .resolve(SLOTS);
            if (!Files.isRegularFile(slots)) {
                missing.add("the keeper's first checkpoint of " + workload.path());
            }
        }
        if (!Files.isRegularFile(manifests.resolve(STATIC_COPY))) {
            missing.add("the keeper's static copy");
        }
        return missing;
    }
}
