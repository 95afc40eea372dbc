package dev.ouroboros.core.checkpoint;

import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.keeper.ComponentName;
import dev.ouroboros.core.keeper.Role;

/**
 * What a pod says of itself.
 *
 * @param component its controller, or itself when it has none; of a ReplicaSet, the Deployment
 * @param role by what its containers run
 * @param asks whether it asks to be checkpointed: by our annotation, or by bootkube's unless ours says "false"
 * @param isStatic whether it is the mirror of a static pod, which is never a principal
 * @param isCheckpointer whether it is bootkube's pod-checkpointer, beside which a keeper does not act
 */
@SuppressWarnings("DoNotCallSuggester") // signatures first
public record PodIdentity(ComponentName component, Role role, boolean asks, boolean isStatic, boolean isCheckpointer) {
    /** @throws IllegalArgumentException when the pod has no namespace or name: then it came from no API server */
    public static PodIdentity of(Json pod) {
        throw new UnsupportedOperationException();
    }
}
