package dev.ouroboros.recovery;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import java.nio.file.Path;

/** What is left of a cluster: where its objects are read from. */
public sealed interface RecoverySource {
    /**
     * A snapshot of etcd, or the database of a data directory whose etcd does not run.
     *
     * @param keys for what is encrypted in it
     */
    record SnapshotFile(Path file, EncryptionConfiguration keys) implements RecoverySource {}

    /**
     * An etcd that lives.
     *
     * @param keys for what is encrypted in it
     */
    record LiveEtcd(EtcdServers servers, EncryptionConfiguration keys) implements RecoverySource {}

    /** An API that still answers. */
    record LiveApi(Endpoint endpoint) implements RecoverySource {}
}
