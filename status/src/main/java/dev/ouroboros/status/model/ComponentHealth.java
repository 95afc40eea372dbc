package dev.ouroboros.status.model;

/**
 * How a component is, in a word or two.
 *
 * @param text as in {@code serving}
 */
public record ComponentHealth(Grade grade, String text) {
    /** The worst last. */
    public enum Grade {
        GOOD,
        /** On its way to good, by itself. */
        MOVING,
        UNKNOWN,
        BAD
    }

    public static ComponentHealth good(String text) {
        return new ComponentHealth(Grade.GOOD, text);
    }

    public static ComponentHealth moving(String text) {
        return new ComponentHealth(Grade.MOVING, text);
    }

    public static ComponentHealth bad(String text) {
        return new ComponentHealth(Grade.BAD, text);
    }

    public static ComponentHealth unknown() {
        return new ComponentHealth(Grade.UNKNOWN, "unknown");
    }
}
