package dev.ouroboros.status.seen;

import java.util.Optional;

/** The checkpoints of one component on this node. */
public record SavedSlots(Optional<SavedCheckpoint> lastGood, Optional<SavedCheckpoint> candidate) {}
