package dev.ouroboros.probe.report;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What one client saw.
 *
 * @param requests finished requests, those before the first answer included
 * @param failures failed requests, those before a first answer that was awaited excluded
 * @param beforeFirstAnswer failed requests before a first answer that was awaited
 * @param retries how often the client sent a request again by its rules
 * @param firstAnswer since the start of the probe
 * @param longestWait for an answer, by a client that asks again until it is answered: the longest outage
 *     or request
 */
public record ClientReport(
        ClientRow row,
        long requests,
        long failures,
        long beforeFirstAnswer,
        long retries,
        Optional<Duration> firstAnswer,
        Duration longestWait,
        Latencies latencies,
        List<Outage> outages) {
    public ClientReport {
        outages = List.copyOf(outages);
        if (failures + beforeFirstAnswer > requests) {
            throw new IllegalArgumentException("more failures than requests");
        }
    }

    /** At least one request was answered and none failed. */
    public boolean available() {
        return failures == 0 && firstAnswer.isPresent();
    }
}
