package dev.ouroboros.bench;

import java.util.Locale;

/** One thing that a tool is asked to do. */
enum BenchStep {
    VERSION,
    RENDER,
    ARCHIVE,
    START;

    /** As options and environment variables spell it. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
