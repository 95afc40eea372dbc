package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.component.ComponentName;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a keeper remembers between decisions: mainly since when each condition has held. Kept in memory only: a keeper that
 * restarts counts from its start. Only {@code podCheckpointer} is handed to it when it starts.
 *
 * @param components what is remembered of each component
 * @param abandonedSince since when start is known to be idle with its pivot unfinished, without interruption
 * @param unwantedSince since when the keeper's DaemonSet is known to be gone, without interruption
 * @param podCheckpointer whether a pod-checkpointer lived here when that was known last: only the API server knows it, and the
 *     keeper needs it when the API server is away
 * @param change what is remembered of a change of the API server
 */
public record KeeperState(
        SortedMap<ComponentName, Memory> components,
        Optional<Instant> abandonedSince,
        Optional<Instant> unwantedSince,
        boolean podCheckpointer,
        ChangeMemory change) {
    public KeeperState {
        components = Collections.unmodifiableSortedMap(new TreeMap<>(components));
    }

    public static KeeperState initial() {
        return initial(false);
    }

    /** @param podCheckpointer whether a pod-checkpointer lived here when a keeper of this node knew that last */
    public static KeeperState initial(boolean podCheckpointer) {
        return new KeeperState(new TreeMap<>(), Optional.empty(), Optional.empty(), podCheckpointer, ChangeMemory.NONE);
    }

    Memory of(ComponentName name) {
        return components.getOrDefault(name, Memory.NONE);
    }
}
