package dev.ouroboros.sandbox.testing;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A minute passes from look to look: nobody waits. */
public final class Leaping implements InstantSource {
    private Instant now = Instant.parse("2026-11-21T00:00:00Z");

    @Override
    public Instant instant() {
        now = now.plus(Duration.ofMinutes(1));
        return now;
    }
}
