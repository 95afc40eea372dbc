package dev.ouroboros.probe.report;

import java.time.Duration;

/** What an {@link OutageTracker} finds while requests finish. */
public sealed interface OutageEvent {
    /** The client's first request was answered. */
    record FirstAnswer(Duration at) implements OutageEvent {}

    record Began(Duration from, String firstError) implements OutageEvent {}

    record Ended(Outage outage) implements OutageEvent {}
}
