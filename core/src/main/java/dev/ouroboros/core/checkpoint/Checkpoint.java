package dev.ouroboros.core.checkpoint;

import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.keeper.ComponentName;
import dev.ouroboros.core.keeper.Revision;
import dev.ouroboros.core.keeper.Role;
import dev.ouroboros.core.version.KubernetesVersion;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * Everything a component needs to run without an API server, as one value. The revision is derived: it cannot disagree with
 * the content.
 *
 * @param component whose it is
 * @param role what it is
 * @param pod the sanitized manifest ({@link Sanitized}): no reference to an API object; saved volumes are hostPaths relative to
 *     the directory of the checkpoint's files
 * @param files of the saved volumes, in the order of volume and path
 */
@SuppressWarnings("DoNotCallSuggester") // signatures first
public record Checkpoint(ComponentName component, Role role, Json.Fields pod, List<SavedFile> files) {
    public Checkpoint {
        files = List.copyOf(files);
    }

    /** Equal exactly when manifest and files are. */
    public Revision revision() {
        throw new UnsupportedOperationException();
    }

    /** What the pod's containers run, each once. */
    public SortedSet<String> images() {
        throw new UnsupportedOperationException();
    }

    /** The version of Kubernetes in it, as far as the tag of its image says so. */
    public Optional<KubernetesVersion> version() {
        throw new UnsupportedOperationException();
    }
}
