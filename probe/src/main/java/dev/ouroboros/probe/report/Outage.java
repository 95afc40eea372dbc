package dev.ouroboros.probe.report;

import java.time.Duration;
import java.util.Optional;

/**
 * A run of failed requests without an answered one between them, in the order in which they were sent.
 *
 * @param from when the first of them was sent, since the start of the probe
 * @param to when the next answered request was answered; empty when there was none until the probe ended
 * @param failures how many failed
 * @param firstError why the first of them failed
 */
public record Outage(Duration from, Optional<Duration> to, long failures, String firstError) {
    public Outage {
        if (failures < 1) {
            throw new IllegalArgumentException("an outage has at least one failure");
        }
    }

    /** How long a client that asked again until it was answered had to wait. */
    public Duration lasted(Duration probeEnd) {
        return to.orElse(probeEnd).minus(from);
    }
}
