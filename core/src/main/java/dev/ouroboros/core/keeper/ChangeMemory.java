package dev.ouroboros.core.keeper;

import java.time.Instant;
import java.util.Optional;

/**
 * What a keeper remembers of a change between decisions; lost with the process, which costs time.
 *
 * @param status the last one that was reported
 * @param movedSince since when new connections are known to go to the understudy
 * @param troubleSince since when the step has waited for something that has a deadline
 * @param blindSince since when it is not known what the DaemonSet asks for
 * @param cause why the candidate's container did not start, from before the kubelet reported only a back-off
 */
record ChangeMemory(
        ChangeStatus status,
        Optional<Instant> movedSince,
        Optional<Instant> troubleSince,
        Optional<Instant> blindSince,
        String cause) {
    static final ChangeMemory NONE =
            new ChangeMemory(ChangeStatus.NONE, Optional.empty(), Optional.empty(), Optional.empty(), "");
}
