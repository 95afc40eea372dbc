package dev.ouroboros.etcd.decide;

/** Something a restore wants done. Every action is idempotent: it is asked for until the observation shows its effect. */
public enum RestoreAction {
    /** Restore the snapshot into a directory beside the data, which gets its name when all of it is on the disk. */
    STAGE,
    /** Copy etcd's manifest to our state directory. */
    KEEP_MANIFEST,
    /** Take etcd's manifest away from the kubelet. */
    REMOVE_MANIFEST,
    /** Rename the former data; its name says when. */
    SET_ASIDE,
    /** Rename what was staged to where etcd looks for it. */
    PUT_IN_PLACE,
    /** Give the kubelet etcd's manifest back. */
    WRITE_MANIFEST,
    /** End the servers that watched the former etcd; the kubelet starts them again. */
    END_STALE_SERVERS,
    /** So that the kubelet lists again. */
    RESTART_KUBELET,
    /** Rename restored data with which etcd did not start. */
    SET_REJECTED_ASIDE,
    /** Rename the former data back to where it was. */
    PUT_BACK
}
