package dev.ouroboros.probe.report;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * What a watching client saw of an object that another client wrote, each write with a higher number.
 *
 * @param acknowledged writes that the API acknowledged
 * @param observed writes that reached the watching client
 * @param coalesced acknowledged writes that a list skipped, which a list may
 * @param missed acknowledged writes that a watch skipped, which a watch must not
 * @param late acknowledged writes that were observed only after {@link WatchJournal#LATE}
 * @param wentBack how often an older number came after a newer one
 * @param lost acknowledged writes of which, at the end, neither they nor a later one was observed
 * @param longestDelay from an acknowledgement to its observation
 * @param connections how often a watch was established
 * @param longestGap the longest time without an established watch, from the end of one to the start of the next
 * @param lastAcknowledged the number of the last acknowledged write
 * @param stored the number found in the API at the end; empty when it could not be read
 */
public record WatchReport(
        long acknowledged,
        long observed,
        long coalesced,
        long missed,
        long late,
        long wentBack,
        long lost,
        Duration longestDelay,
        long connections,
        Duration longestGap,
        OptionalLong lastAcknowledged,
        OptionalLong stored) {
    /** Every acknowledged write was seen, in order, and is still there. */
    public boolean consistent() {
        boolean kept = lastAcknowledged.isEmpty()
                || (stored.isPresent() && stored.getAsLong() >= lastAcknowledged.getAsLong());
        return missed == 0 && wentBack == 0 && lost == 0 && kept;
    }

    public long reconnects() {
        return Math.max(0, connections - 1);
    }
}
