package dev.ouroboros.etcd;

import dev.ouroboros.model.evidence.Evidence;

/** What an etcd of this node says of itself. */
public interface EtcdProbe {
    /** Whether a process listens on its port. */
    Evidence<Boolean> listens();

    /** Whether it says that it is well. */
    Evidence<Boolean> healthy();
}
