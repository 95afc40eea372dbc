package dev.ouroboros.steward.decide;

import dev.ouroboros.model.json.Json;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/** A moment in a status, as in {@code 2026-11-29T15:12:00Z}. */
final class WrittenMoment {
    private WrittenMoment() {}

    /** @return empty when it is not there, or is none */
    static Optional<Instant> of(Json value) {
        try {
            return value.text().map(Instant::parse);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
