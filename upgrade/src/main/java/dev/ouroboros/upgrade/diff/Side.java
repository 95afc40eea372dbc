package dev.ouroboros.upgrade.diff;

/** Who says how something is. */
public enum Side {
    /** The asset directory's manifest, as the server would store it. */
    INTENT,
    /** The object in the API. */
    API,
    /** The last-good checkpoint on the node's disk. */
    CHECKPOINT,
    /** The command line of the process that runs on the node. */
    PROCESS
}
