package dev.ouroboros.upgrade.decide;

/** Where an upgrade goes. */
public enum Direction {
    FORWARD,
    /** To the previous manifests. */
    BACK
}
