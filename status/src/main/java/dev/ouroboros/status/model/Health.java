package dev.ouroboros.status.model;

/**
 * How a component is, in a word or two.
 *
 * @param text as in {@code serving}
 */
public record Health(Grade grade, String text) {
    /** The worst last. */
    public enum Grade {
        GOOD,
        /** On its way to good, by itself. */
        MOVING,
        UNKNOWN,
        BAD
    }

    public static Health good(String text) {
        return new Health(Grade.GOOD, text);
    }

    public static Health moving(String text) {
        return new Health(Grade.MOVING, text);
    }

    public static Health bad(String text) {
        return new Health(Grade.BAD, text);
    }

    public static Health unknown() {
        return new Health(Grade.UNKNOWN, "unknown");
    }
}
