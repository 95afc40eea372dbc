package dev.ouroboros.probe.report;

import java.time.Duration;
import java.util.Optional;

/**
 * One finished request.
 *
 * @param sequence position among the requests of its client, from 0 and without gaps, in the order in which they were sent
 * @param sent when, since the start of the probe
 * @param done when it was answered or given up, since the start of the probe
 * @param retries how often it was sent again within the rules of its client
 * @param failure why it failed, empty when it was answered as it should be
 */
public record Sample(long sequence, Duration sent, Duration done, int retries, Optional<String> failure) {
    public Sample {
        if (done.compareTo(sent) < 0) {
            throw new IllegalArgumentException("a request cannot be done before it is sent");
        }
    }

    public boolean failed() {
        return failure.isPresent();
    }

    public Duration took() {
        return done.minus(sent);
    }
}
