package dev.ouroboros.core.upgrade;

/** Where an upgrade goes. */
public enum Direction {
    FORWARD,
    /** To the previous manifests. */
    BACK
}
