package dev.ouroboros.core.keeper;

import java.time.Instant;
import java.util.Optional;

/**
 * What a keeper remembers of a change between decisions; lost with the process, which costs time.
 *
 * @param status what was said of it last
 * @param movedSince since when new connections are known to go to the understudy
 * @param troubleSince since when the step has not come to its end
 * @param blindSince since when it is not known what the DaemonSet asks for
 * @param cause why the candidate's container did not start, as it was said before the kubelet only said that it will try again
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
