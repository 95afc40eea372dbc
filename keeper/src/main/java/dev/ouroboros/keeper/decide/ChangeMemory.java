package dev.ouroboros.keeper.decide;

import java.time.Instant;
import java.util.Optional;

/**
 * What a keeper remembers of a change between decisions; lost with the process, which costs time.
 *
 * @param status the last one that was reported
 * @param movedSince since when new connections are known to go to the understudy
 * @param troubleSince since when the step has waited for something that has a deadline
 * @param blindSince since when it is not known what the DaemonSet asks for
 * @param ends how often a container of the understudy had ended at the last decision
 * @param sameProcessSince since when it has not ended again; what it proved before, it did not prove
 * @param cause why the candidate's container did not start, from before the kubelet reported only a back-off
 * @param boots how long principals took here to be ready
 */
record ChangeMemory(
        ChangeStatus status,
        Optional<Instant> movedSince,
        Optional<Instant> troubleSince,
        Optional<Instant> blindSince,
        int ends,
        Optional<Instant> sameProcessSince,
        String cause,
        PrincipalBoots boots) {
    static final ChangeMemory NONE = new ChangeMemory(
            ChangeStatus.NONE,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            0,
            Optional.empty(),
            "",
            PrincipalBoots.UNKNOWN);

    ChangeMemory blindSince(Optional<Instant> since) {
        return new ChangeMemory(status, movedSince, troubleSince, since, ends, sameProcessSince, cause, boots);
    }
}
