package dev.ouroboros.core.upgrade;

/** What was done and cannot be seen in the cluster. */
public enum UpgradeMilestone {
    /** etcd is saved. */
    SAVED,
    /** What people wanted to be run before has run. */
    HOOKED_BEFORE,
    /** The images of the target are where they are needed, as far as anybody could see to it. */
    IMAGES,
    /** The asset directory is the target's. */
    RENDERED,
    /** The cluster does what people need of one. */
    ACCEPTED,
    HOOKED_AFTER,
    /** Nothing is left to do. */
    DONE
}
