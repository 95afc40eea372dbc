package dev.ouroboros.sandbox.up;

/** How {@code ouro up} ended, when it ended well. */
public enum UpResult {
    /** There is a cluster now that was not there before, or did not serve. */
    MADE,
    /** The cluster was up, and nothing was done. */
    WAS_UP
}
