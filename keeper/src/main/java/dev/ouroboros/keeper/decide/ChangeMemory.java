package dev.ouroboros.keeper.decide;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
        Boots boots) {
    /** Beside another server, on a machine that is busy with both. */
    private static final int SLOWER = 4;

    private static final int LONGEST = 6;

    static final ChangeMemory NONE = new ChangeMemory(
            ChangeStatus.NONE,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            0,
            Optional.empty(),
            "",
            Boots.UNKNOWN);

    ChangeMemory blindSince(Optional<Instant> since) {
        return new ChangeMemory(status, movedSince, troubleSince, since, ends, sameProcessSince, cause, boots);
    }

    /**
     * What is known of them.
     *
     * @param pod uid of the one that lives; empty text while none is known to be ready
     * @param slowest of all that were seen; zero when nobody knows
     */
    record Boots(String pod, Duration slowest) {
        static final Boots UNKNOWN = new Boots("", Duration.ZERO);

        /**
         * With what these pods tell. Each counts once, when it is first seen to be ready: readiness that comes and goes later is no boot, and neither is one that took longer than any.
         */
        Boots with(List<PrincipalPod> living, Duration longest) {
            Optional<PrincipalPod> booted = living.stream()
                    .filter(found ->
                            found.bootedIn().isPresent() && !found.uid().equals(pod))
                    .findFirst();
            return booted.map(found -> new Boots(
                            found.uid(),
                            found.bootedIn()
                                    .filter(boot -> boot.compareTo(longest) <= 0)
                                    .map(boot -> longer(slowest, boot))
                                    .orElse(slowest)))
                    .orElse(this);
        }
    }

    /**
     * How long a candidate, and then the principal that is made like it, may take to prove itself: as the settings say, and on a machine on which principals
     * took long four times as long as that, up to six times as long as the settings say. Where all are slow, one that is slow is not bad.
     */
    Duration deadline(KeeperSettings settings) {
        Duration usual = settings.candidateDeadline();
        return longer(usual, shorter(longest(settings), boots.slowest().multipliedBy(SLOWER)));
    }

    /** The longest deadline, and the longest boot that is believed. */
    static Duration longest(KeeperSettings settings) {
        return settings.candidateDeadline().multipliedBy(LONGEST);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
