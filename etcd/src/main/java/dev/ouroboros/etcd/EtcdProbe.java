package dev.ouroboros.etcd;

import dev.ouroboros.core.evidence.Evidence;

/** What an etcd of this node says of itself. */
public interface EtcdProbe {
    /** Whether anybody has its port. */
    Evidence<Boolean> listens();

    /** Whether it says that it is well. */
    Evidence<Boolean> healthy();
}
