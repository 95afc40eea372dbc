package dev.ouroboros.status.model;

import dev.ouroboros.model.evidence.Evidence;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The checkpoints of one component on one node.
 *
 * @param told present when the slots come not from the node's disk but from its keeper's annotation on the Node
 */
public record NodeCheckpoints(String node, Evidence<CheckpointSlots> slots, Optional<Told> told) {
    /**
     * A keeper's annotation on its Node changes only when its checkpoints do: it does not tell whether the keeper is still there.
     *
     * @param at when it was written, by the node's clock; empty when there is no readable annotation
     * @param doubt why it may not be so any more; empty for nothing
     */
    public record Told(Optional<Instant> at, String doubt) {}

    /** Whether the checkpoints are still as told, as far as anybody can tell. */
    public boolean isCurrent() {
        return told.map(Told::doubt).filter(doubt -> !doubt.isEmpty()).isEmpty();
    }

    /** Every moment that the node's own clock gave. */
    public Stream<Instant> moments() {
        CheckpointSlots known = slots.orElse(new CheckpointSlots(Optional.empty(), Optional.empty()));
        return Stream.concat(
                told.flatMap(Told::at).stream(),
                Stream.of(known.lastGood(), known.candidate())
                        .flatMap(Optional::stream)
                        .flatMap(slot -> slot.savedAt().stream()));
    }
}
