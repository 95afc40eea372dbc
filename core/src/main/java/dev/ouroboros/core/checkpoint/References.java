package dev.ouroboros.core.checkpoint;

import dev.ouroboros.core.json.Json;
import java.util.List;
import java.util.SortedSet;

/**
 * Everything a pod refers to: what a kubelet reads from the API before, or while, it runs it.
 *
 * @param all in the order of the manifest
 */
@SuppressWarnings("DoNotCallSuggester") // signatures first
public record References(List<Reference> all) {
    public References {
        all = List.copyOf(all);
    }

    /** Of a pod as the API server has it: of all its containers, also of init and ephemeral ones. */
    public static References of(Json pod) {
        throw new UnsupportedOperationException();
    }

    /** What must be read to save the pod. Pull secrets are not among it: an understudy's image is on the node. */
    public SortedSet<ApiObject> toRead() {
        throw new UnsupportedOperationException();
    }

    /**
     * One mention of an object.
     *
     * @param field path of the field that names it, as in {@code spec.volumes[2].secret.secretName}
     * @param optional whether the pod runs without it
     */
    public record Reference(ApiObject object, String field, Use use, boolean optional) {}

    /** What a pod does with it. */
    public enum Use {
        VOLUME,
        ENVIRONMENT,
        IMAGE_PULL
    }
}
