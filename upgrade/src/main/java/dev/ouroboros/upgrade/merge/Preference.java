package dev.ouroboros.upgrade.merge;

/** What a place becomes when both sides changed it. */
public enum Preference {
    /** What the cluster has. */
    LIVE,
    /** What the target wants. */
    TARGET
}
