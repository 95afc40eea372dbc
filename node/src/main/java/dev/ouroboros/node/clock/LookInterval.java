package dev.ouroboros.node.clock;

import java.time.Duration;

/**
 * How often to look again. A look costs time, here and on the machine that answers: on a slow machine, where one takes longer, looks are taken less
 * often.
 *
 * @param perLook the pause after a look, as a multiple of the look's own time
 * @param shortest pause
 * @param longest pause
 */
public record LookInterval(int perLook, Duration shortest, Duration longest) {
    private static final int SHARE_OF_THE_WAIT = 10;

    /** The pause after a look that took so long. */
    public Duration pauseAfter(Duration look) {
        Duration wanted = look.multipliedBy(perLook);
        Duration bounded = wanted.compareTo(longest) < 0 ? wanted : longest;
        return bounded.compareTo(shortest) < 0 ? shortest : bounded;
    }

    /**
     * The pause, where a look may take long only because whoever is asked does not answer yet: who waits for a change learns of it at most a tenth
     * later than it came.
     *
     * @param look how long it took
     * @param unchanged for how long the looks have found the same
     */
    public Duration pauseAfter(Duration look, Duration unchanged) {
        Duration share = unchanged.dividedBy(SHARE_OF_THE_WAIT);
        Duration most = share.compareTo(shortest) < 0 ? shortest : share;
        Duration pause = pauseAfter(look);
        return pause.compareTo(most) < 0 ? pause : most;
    }
}
