package dev.ouroboros.core.checkpoint;

import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.keeper.ComponentName;
import dev.ouroboros.core.keeper.Role;

/** The static pod that stands in for a component. */
@SuppressWarnings("DoNotCallSuggester") // signatures first
public final class Understudy {
    /** Value of the owner annotation on what a keeper wrote. */
    public static final String OWNER = "keeper";

    /** Names the revision that a static manifest was made from. */
    public static final String REVISION_ANNOTATION = "ouroboros.dev/revision";

    private Understudy() {}

    /**
     * The manifest to give to the kubelet.
     *
     * @param filesDirectory absolute path of the directory, on the node, that has the checkpoint's files: a directory for each
     *     volume
     */
    public static Json.Fields of(Checkpoint checkpoint, String filesDirectory) {
        throw new UnsupportedOperationException();
    }

    /** {@code metadata.name} of the static pod; the kubelet appends the node's name. */
    public static String podName(ComponentName component, Role role) {
        throw new UnsupportedOperationException();
    }

    /** Name of its file in the kubelet's manifest directory. */
    public static String fileName(ComponentName component, Role role) {
        return podName(component, role) + ".json";
    }
}
