package dev.ouroboros.api;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * How long to wait for an answer of one server: several times its slowest recent answer, because a fixed limit that fits a fast machine would take a
 * slow one for hung.
 *
 * <p>After a question that was given up the limit doubles, until there is an answer. The answer that ends such a silence says nothing of how slow the
 * server is, because the server hung: it does not raise the limit. A second silence within the period counts as slowness, and does.
 */
public final class AnswerLimit {
    private static final Duration SHORTEST = Duration.ofSeconds(3);
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final int TIMES_THE_SLOWEST = 4;
    /** A server that leaves so many questions in a row without an answer counts as hung. */
    private static final int SILENT_AFTER = 2;

    /**
     * The slowest answer of this period and of the one before counts. There are dozens of answers in a period, and how slow a server was earlier says
     * nothing of now.
     */
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
     * A limit from 3 to 30 s, for a server that no other can stand in for before it is found to hang.
     *
     * @param clock that does not jump
     */
    public AnswerLimit(InstantSource clock) {
        this(SHORTEST, LONGEST, clock);
    }

    /**
     * A limit between two bounds.
     *
     * @param clock that does not jump
     */
    public AnswerLimit(Duration shortest, Duration longest, InstantSource clock) {
        this.shortest = shortest;
        this.longest = longest;
        this.clock = clock;
        this.begun = clock.instant();
    }

    /** The limit now, within the bounds. */
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

    /** Tells that an answer, or a handshake, took so long. */
    public synchronized void took(Duration time) {
        turn();
        boolean endsSilence = givenUpInARow >= SILENT_AFTER && time.compareTo(bounded(bySlowest())) > 0;
        boolean isTheFirst = clock.instant().isAfter(silenceEnded.plus(PERIOD.multipliedBy(2)));
        if (!endsSilence || !isTheFirst) {
            slowest = max(slowest, time);
        }
    }

    /** Tells that a question was given up. */
    public synchronized void gaveUp() {
        afterGivingUp = now().multipliedBy(2);
        givenUpInARow++;
    }

    /** Tells that the awaited answer came, or that nobody listens any more. */
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
