package dev.ouroboros.upgrade.merge;

import dev.ouroboros.model.json.Json;
import java.util.List;

/**
 * What comes of a merge.
 *
 * @param result the object
 * @param kept paths at which the cluster's own change was kept
 * @param conflicts places at which live or target had to be chosen, in order
 */
public record Merged(Json result, List<String> kept, List<Conflict> conflicts) {
    public Merged {
        kept = List.copyOf(kept);
        conflicts = List.copyOf(conflicts);
    }
}
