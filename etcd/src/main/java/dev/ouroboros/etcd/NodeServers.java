package dev.ouroboros.etcd;

import dev.ouroboros.core.evidence.Evidence;
import java.time.Instant;

/** The servers of this node that may have watched etcd. */
public interface NodeServers {
    /** This moment, by the clock that tells when processes began. It does not jump, and means nothing to another process than this one. */
    Instant now();

    /** Whether one runs that was started before this moment. */
    Evidence<Boolean> startedBefore(Instant moment);

    /** Tells those to end; whoever keeps them starts them anew. */
    void end(Instant moment);
}
