package dev.ouroboros.upgrade.plan;

import dev.ouroboros.snapshot.Snapshot;
import dev.ouroboros.upgrade.decide.ClusterSeen.Stored;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a snapshot file holds, by resource and version.
 *
 * @param open opens the file
 */
public record StoredObjects(Supplier<Snapshot> open) {
    List<Stored> stored() {
        try (Snapshot snapshot = open.get()) {
            return snapshot.inspect().resources().stream()
                    .flatMap(resource -> resource.versions().entrySet().stream()
                            .map(version -> new Stored(resource.resource(), version.getKey(), version.getValue())))
                    .toList();
        }
    }
}
