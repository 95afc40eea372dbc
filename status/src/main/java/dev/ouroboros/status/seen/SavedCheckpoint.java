package dev.ouroboros.status.seen;

import dev.ouroboros.model.checkpoint.Revision;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A whole checkpoint on the disk.
 *
 * @param savedAt when it was written; empty when the disk does not say
 * @param images of its containers
 * @param certificates in its files
 */
public record SavedCheckpoint(
        Revision revision, Optional<Instant> savedAt, List<String> images, List<DatedCertificate> certificates) {
    public SavedCheckpoint {
        images = List.copyOf(images);
        certificates = List.copyOf(certificates);
    }
}
