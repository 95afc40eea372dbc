package dev.ouroboros.etcd;

/** What an etcd takes on its disk. */
public final class EtcdRoom {
    /** Bytes beside its database: two files of its log, of 64 MB each, which it makes ahead, and a snapshot. */
    public static final long BESIDE_DATABASE = 256L << 20;

    private EtcdRoom() {}
}
