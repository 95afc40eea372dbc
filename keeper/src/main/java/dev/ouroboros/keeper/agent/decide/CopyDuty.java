package dev.ouroboros.keeper.agent.decide;

import dev.ouroboros.keeper.decide.Successor;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What an agent that acts does about the static copy. The DaemonSet's pod keeps the copy; the copy works when no pod of the DaemonSet does, as
 * when the machine boots and its kubelet reaches no API server.
 *
 * <pre>
 * who acts              when                                                        does
 * the DaemonSet's pod   the API named its servers, and the copy is absent or old    WRITE
 * the static copy       it is wanted on other nodes only                            REMOVE
 *                       there is no DaemonSet, for a minute                         REMOVE
 *                       the API named its servers, or it acts for a minute: a pod   ADMIT
 *                       of the DaemonSet may come, and this key may be no good
 *                       that pod decides                                            GIVE_WAY
 * </pre>
 */
public enum CopyDuty {
    NONE,
    /** Write the copy's manifest, and the files that it needs. */
    WRITE,
    /** Let a pod of the DaemonSet that waits for the lock start. It looks on. */
    ADMIT,
    /** End, so that the pod of the DaemonSet acts. */
    GIVE_WAY,
    /** Remove the copy's manifest and what it needs, and end. */
    REMOVE;

    /** A DaemonSet that is replaced is away for a moment. */
    static final Duration GRACE = Duration.ofMinutes(1);

    /** Where there is no API, nobody waits: admitting costs nothing then. */
    static final Duration PATIENCE = Duration.ofMinutes(1);

    /**
     * What an agent sees.
     *
     * @param staticCopy whether this process is the static copy
     * @param named whether the API said, to this process, where its servers are: so its key is good, and the cluster ours
     * @param copyIsRight whether the manifest of the copy, and the files it needs, are as they should be; unknown when somebody else's file has
     *     the manifest's name
     * @param successor how far the next agent is
     * @param wish of people
     * @param nowhereSince since when there has been no DaemonSet
     * @param actsSince since when this process has acted
     */
    public record Seen(
            boolean staticCopy,
            boolean named,
            Evidence<Boolean> copyIsRight,
            Evidence<Successor> successor,
            Evidence<Wish> wish,
            Optional<Instant> nowhereSince,
            Instant actsSince) {}

    public static CopyDuty of(Seen seen, Instant now) {
        if (!seen.staticCopy()) {
            return seen.named() && seen.copyIsRight().is(right -> !right) ? WRITE : NONE;
        }
        boolean nowhere = seen.nowhereSince()
                .filter(since -> !now.isBefore(since.plus(GRACE)))
                .isPresent();
        if (seen.wish() instanceof Known<Wish>(Wish wish)
                && (wish == Wish.ELSEWHERE || (wish == Wish.NOWHERE && nowhere))) {
            return REMOVE;
        }
        if (!(seen.successor() instanceof Known<Successor>(Successor next))) {
            return NONE;
        }
        boolean admits = seen.named() || !now.isBefore(seen.actsSince().plus(PATIENCE));
        return switch (next) {
            case WAITS -> admits ? ADMIT : NONE;
            case ADMITTED -> NONE;
            case DECIDES -> GIVE_WAY;
        };
    }
}
