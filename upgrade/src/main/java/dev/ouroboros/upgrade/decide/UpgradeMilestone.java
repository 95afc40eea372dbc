package dev.ouroboros.upgrade.decide;

/** What was done and cannot be seen in the cluster. */
public enum UpgradeMilestone {
    /** etcd is saved. */
    SAVED,
    /** The user's hooks before the upgrade have run. */
    HOOKED_BEFORE,
    /** The target's images are on the nodes that need them, as far as that could be arranged. */
    IMAGES,
    /** It goes back by the snapshot and by nothing else: what the older version has no word for may be in etcd. */
    BY_SNAPSHOT,
    /** The asset directory is the target's. */
    RENDERED,
    /** The cluster has passed the acceptance test. */
    ACCEPTED,
    HOOKED_AFTER,
    /** Nothing is left to do. */
    DONE
}
