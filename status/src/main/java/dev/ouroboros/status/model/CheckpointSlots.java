package dev.ouroboros.status.model;

import java.util.Optional;

/** What a component can be started from when there is no API. */
public record CheckpointSlots(Optional<Slot> lastGood, Optional<Slot> candidate) {}
