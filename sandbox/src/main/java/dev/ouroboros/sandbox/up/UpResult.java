package dev.ouroboros.sandbox.up;

/** How {@code ouro up} ended, when it ended well. */
public enum UpResult {
    /** There is a cluster now that was not there before, or did not serve. */
    MADE,
    /** There is a node with a kubelet and etcd, and no control plane was asked for. */
    NODE_ONLY,
    /** The cluster was up, and nothing was done. */
    WAS_UP,
    /** It had no power, or some of its nodes had none: they were booted, and the keepers brought the cluster back. */
    BOOTED
}
