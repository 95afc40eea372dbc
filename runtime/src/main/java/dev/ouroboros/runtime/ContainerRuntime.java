package dev.ouroboros.runtime;

import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.runtime.RuntimePod;
import java.util.List;

/**
 * What the container runtime of this node knows; nothing of it goes through the kubelet or the API.
 *
 * <p>Every method answers within a time limit or throws {@link ProblemException}: MISSING_PERMISSION when we may not use the
 * socket, TIMEOUT when the runtime hangs, RUNTIME_UNAVAILABLE when it is not there or talks nonsense, RUNTIME_REFUSED when it
 * answers with an error. A failed call says nothing about the next one, and none is a reason to believe that a pod is gone.
 * Methods may be called by several threads at once.
 */
public interface ContainerRuntime {
    RuntimeVersion version();

    /** All pods with all their containers, in {@link RuntimePod#ORDER}. */
    List<RuntimePod> pods();

    /** Whether a container can be made of this image without a registry. */
    boolean hasImage(String reference);
}
