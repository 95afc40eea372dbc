package dev.ouroboros.model.asset;

import java.util.List;

/**
 * Names in a node's state directory: what {@code start}, a restore, the keeper and {@code host prepare} must not forget is there.
 */
public final class StateLayout {
    /** Where it is, unless a flag says otherwise. */
    public static final String DIRECTORY = "/var/lib/ouroboros";

    /** Held by who starts a cluster or restores its etcd, and by who finishes what a start left behind. */
    public static final String LOCK = "lock";
    /** How far {@code start} came: there from its first to its last step. */
    public static final String JOURNAL = "journal.json";
    /** The restore whose pods of before were deleted. */
    public static final String FORMER_PODS_DELETED = "former-pods-deleted";
    /** A restore of etcd in the making. */
    public static final String RESTORE = "restore";
    /** A change of etcd in the making, and the manifest of before. */
    public static final String ETCD_CHANGE = "etcd-change";
    /** A member of etcd that this node is about to get. */
    public static final String ETCD_JOIN = "etcd-join";
    /** A member of etcd that is about to leave this node. */
    public static final String ETCD_LEAVE = "etcd-leave";
    /** What the last member of an etcd had, while that becomes an etcd of its own; and its manifest of before. */
    public static final String ETCD_RECOVER = "etcd-recover";
    /** There where members were added to this node's etcd, whose manifest does not name them. */
    public static final String ETCD_MEMBERS_ADDED = "etcd-members-added";
    /** There where this node's member of etcd has left: nobody starts another one with the manifest of before. */
    public static final String ETCD_LEFT = "etcd-left";
    /** The keeper's checkpoints, two slots a component. */
    public static final String CHECKPOINTS = "checkpoints";
    /** The keeper's own: its lock, its memory, saved images. */
    public static final String KEEPER = "keeper";
    /** The own directory of a node's agent, on nodes without a keeper. */
    public static final String NODE_AGENT = "node-agent";
    /** An etcd that a drill restores a snapshot to, while it is under way. */
    public static final String DRILL = "drill";
    /** Snapshots of etcd that the steward saved. They outlive the cluster: one that is lost comes back from them. */
    public static final String BACKUPS = "backups";
    /** Where the owner mounts a file system from elsewhere, for copies of those. */
    public static final String BACKUPS_MIRROR = "backups-mirror";
    /** The record of what {@code host prepare} wrote. */
    public static final String HOST = "host";

    /** What a cluster leaves behind: without it a node can be given to another one. */
    public static final List<String> OF_CLUSTER = List.of(
            CHECKPOINTS,
            KEEPER,
            NODE_AGENT,
            RESTORE,
            ETCD_CHANGE,
            ETCD_JOIN,
            ETCD_LEAVE,
            ETCD_RECOVER,
            ETCD_MEMBERS_ADDED,
            ETCD_LEFT,
            DRILL,
            FORMER_PODS_DELETED,
            JOURNAL,
            LOCK);

    private StateLayout() {}

    /** Where it is below {@link #DIRECTORY}. */
    public static String path(String name) {
        return DIRECTORY + "/" + name;
    }
}
