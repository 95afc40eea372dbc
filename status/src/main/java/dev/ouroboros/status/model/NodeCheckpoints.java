package dev.ouroboros.status.model;

import dev.ouroboros.core.evidence.Evidence;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The checkpoints of one component on one node.
 *
 * @param told when they are not from the node's own disk but what its keeper said of them on its Node
 */
public record NodeCheckpoints(String node, Evidence<CheckpointSlots> slots, Optional<Told> told) {
    /**
     * What a keeper says on its Node only changes when its checkpoints do; whether it is still there to say so is another question.
     *
     * @param at when it was said, by the node's clock; empty when nothing that can be understood was
     * @param doubt why it may not be so any more; empty for nothing
     */
    public record Told(Optional<Instant> at, String doubt) {}

    /** Whether they are known to be so now, as far as anybody can tell. */
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
