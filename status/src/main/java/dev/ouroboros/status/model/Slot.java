package dev.ouroboros.status.model;

import java.time.Instant;
import java.util.Optional;

/**
 * A checkpoint on the disk.
 *
 * @param revision its digest
 */
public record Slot(String revision, Optional<Instant> savedAt) {}
