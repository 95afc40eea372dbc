package dev.ouroboros.core.merge;

/** What a place becomes that both have changed. */
public enum Preference {
    /** What the cluster has. */
    LIVE,
    /** What the target wants. */
    TARGET
}
