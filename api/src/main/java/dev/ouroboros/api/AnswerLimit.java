package dev.ouroboros.api;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * How long one server is waited for: several times as long as its slowest answer of late. Who answers late because machine or server is
 * slow does not hang, and a fixed limit that fits a fast machine would say so. Who was given up on is waited for twice as long the next time,
 * until there is an answer. What ends a silence comes late because the server hung, and says nothing of how slow it is: it is not waited for longer
 * afterwards. A second silence of late is a slow server's.
 */
public final class AnswerLimit {
    private static final Duration SHORTEST = Duration.ofSeconds(3);
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final int TIMES_THE_SLOWEST = 4;
    /** Questions in a row: who leaves so many without a word counts as one that hangs. */
    private static final int SILENT_AFTER = 2;

    /** The slowest of this period and of the one before count: there are dozens of answers in it, and what was slow before says nothing of now. */
    private static final Duration PERIOD = Duration.ofMinutes(2);

    private final InstantSource clock;
    private final Duration shortest;
    private final Duration longest;
    private Instant begun;
    private Duration slowest = Duration.ZERO;
    private Duration slowestBefore = Duration.ZERO;
    private Duration afterGivingUp = Duration.ZERO;
    private int givenUpInARow;
    private Instant silenceEnded = Instant.MIN;

    /**
     * From 3 to 30 s, for servers that nobody else can take the place of before they were found to hang.
     *
     * @param clock that does not jump
     */
    public AnswerLimit(InstantSource clock) {
        this(SHORTEST, LONGEST, clock);
    }

    /**
     * Between two bounds.
     *
     * @param clock that does not jump
     */
    public AnswerLimit(Duration shortest, Duration longest, InstantSource clock) {
        this.shortest = shortest;
        this.longest = longest;
        this.clock = clock;
        this.begun = clock.instant();
    }

    /** Not shorter and not longer than the bounds. */
    public synchronized Duration now() {
        turn();
        return bounded(max(afterGivingUp, bySlowest()));
    }

    private Duration bySlowest() {
        return max(slowest, slowestBefore).multipliedBy(TIMES_THE_SLOWEST);
    }

    private Duration bounded(Duration patient) {
        return max(shortest, patient.compareTo(longest) < 0 ? patient : longest);
    }

    /** An answer, or a handshake, came after so long. */
    public synchronized void took(Duration time) {
        turn();
        boolean endsSilence = givenUpInARow >= SILENT_AFTER && time.compareTo(bounded(bySlowest())) > 0;
        boolean isTheFirst = clock.instant().isAfter(silenceEnded.plus(PERIOD.multipliedBy(2)));
        if (!endsSilence || !isTheFirst) {
            slowest = max(slowest, time);
        }
    }

    /** Nothing came for as long as it was waited for. */
    public synchronized void gaveUp() {
        afterGivingUp = now().multipliedBy(2);
        givenUpInARow++;
    }

    /** What it is waited for came, or nobody listens any more. */
    public synchronized void heard() {
        if (givenUpInARow >= SILENT_AFTER) {
            silenceEnded = clock.instant();
        }
        afterGivingUp = Duration.ZERO;
        givenUpInARow = 0;
    }

    private void turn() {
        Duration age = Duration.between(begun, clock.instant());
        if (age.compareTo(PERIOD) < 0) {
            return;
        }
        slowestBefore = age.compareTo(PERIOD.multipliedBy(2)) < 0 ? slowest : Duration.ZERO;
        slowest = Duration.ZERO;
        begun = clock.instant();
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }
}
