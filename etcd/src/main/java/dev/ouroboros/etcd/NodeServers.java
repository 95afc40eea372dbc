package dev.ouroboros.etcd;

import dev.ouroboros.core.evidence.Evidence;
import java.time.Instant;

/** The servers of this node that may have watched etcd. */
interface NodeServers {
    /** Whether one runs that was started before this moment. */
    Evidence<Boolean> startedBefore(Instant moment);

    /** Tells those to end; whoever keeps them starts them anew. */
    void end(Instant moment);
}
