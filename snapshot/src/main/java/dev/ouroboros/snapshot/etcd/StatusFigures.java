package dev.ouroboros.snapshot.etcd;

/**
 * What {@code etcdctl snapshot status} prints.
 *
 * @param hash CRC-32C of the names of all buckets and their keys and values
 * @param revision the newest
 * @param entries keys of all buckets: what etcd up to 3.5 calls the total of keys; from 3.6 on that is the keys that live
 */
public record StatusFigures(long hash, long revision, long entries) {}
