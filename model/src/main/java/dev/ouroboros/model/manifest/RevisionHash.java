package dev.ouroboros.model.manifest;

import dev.ouroboros.model.json.Json;
import java.util.Optional;

/** From which template a DaemonSet's pod was made, and which template a ControllerRevision holds: equal hashes are one template. */
public final class RevisionHash {
    /** Of both (k8s.io/api/apps/v1, ControllerRevisionHashLabelKey). */
    public static final String LABEL = "controller-revision-hash";

    private RevisionHash() {}

    public static Optional<String> of(Json podOrRevision) {
        return podOrRevision.at("metadata", "labels", LABEL).text();
    }
}
