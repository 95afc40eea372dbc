package dev.ouroboros.bootstrap;

import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.manifest.WorkloadReference;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

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

    private static final String NAMESPACE = "kube-system";

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

    /**
     * Stops before anything is changed when the keeper stands in for a part of the control plane: it waits for {@code start} to end, and
     * {@code start} would wait for the ports and Leases that the keeper's understudies have.
     *
     * @throws ProblemException LOCKED, for each of them
     */
    void requireNoUnderstudy() {
        List<Problem> problems = new ArrayList<>();
        understudies()
                .forEach(
                        (component, manifest) -> problems.add(
                                new Problem(
                                        ErrorCode.LOCKED,
                                        manifest.toString(),
                                        "the keeper of this node stands in for " + component.id(),
                                        "a node whose keeper is at rest",
                                        "see 'ouro status': the keeper brings it back by itself, and then nothing is left to start. When it cannot,"
                                                + " or something else is to be started, --take-over removes what it has started first")));
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
    }

    /** The manifests of the keeper's understudies that are there. */
    SortedMap<Component, Path> understudies() {
        SortedMap<Component, Path> found = new TreeMap<>();
        for (Component component : Component.WITH_UNDERSTUDY) {
            Path manifest = manifests.resolve(
                    Understudy.fileName(new ComponentName(NAMESPACE, component.id()), component.role()));
            if (Files.exists(manifest)) {
                found.put(component, manifest);
            }
        }
        return found;
    }
}
