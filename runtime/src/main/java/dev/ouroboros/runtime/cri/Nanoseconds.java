package dev.ouroboros.runtime.cri;

import java.time.Instant;

/** Times in the interface are nanoseconds since 1970. */
final class Nanoseconds {
    private Nanoseconds() {}

    static Instant toInstant(long nanoseconds) {
        return Instant.ofEpochSecond(0, nanoseconds);
    }
}
