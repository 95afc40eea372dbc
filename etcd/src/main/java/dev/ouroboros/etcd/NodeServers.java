package dev.ouroboros.etcd;

import dev.ouroboros.model.evidence.Evidence;
import java.time.Instant;

/** The servers of this node that may have watched etcd. */
public interface NodeServers {
    /** The present moment, by the clock of process start times. That clock does not jump, and means nothing outside of this process. */
    Instant now();

    /** Whether one runs that was started before this moment. */
    Evidence<Boolean> startedBefore(Instant moment);

    /** Ends the servers started before this moment; the kubelet starts them anew. */
    void end(Instant moment);
}
