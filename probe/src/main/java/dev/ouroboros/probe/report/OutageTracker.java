package dev.ouroboros.probe.report;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Turns the finished requests of one client into outages.
 *
 * <p>Requests overlap and finish out of order, but an outage is a matter of the order in which they were sent: a request that
 * hangs for five seconds while later ones are answered is one failure, not an outage of five seconds seen twice. So samples
 * wait here until every earlier one is known, and an event is at most the request timeout late. Outages that overlap in time are
 * one: its end is announced again, and is the later of the two.
 *
 * <p>Not thread-safe: one owner offers the samples.
 */
public final class OutageTracker {
    private final boolean awaitFirstAnswer;
    private final TreeMap<Long, Sample> waiting = new TreeMap<>();
    private final List<Outage> outages = new ArrayList<>();
    private long nextSequence;
    private long requests;
    private long failures;
    private long beforeFirstAnswer;
    private long retries;
    private @Nullable Duration firstAnswer;
    private @Nullable Outage open;
    /** When the open outage ended for the first time, if it did. */
    private Duration earlierEnd = Duration.ZERO;

    private long[] answeredNanos = new long[1024];
    private int answered;
    private Duration longestFailed = Duration.ZERO;

    /**
     * A tracker that has seen nothing yet.
     *
     * @param awaitFirstAnswer whether requests that failed before the first answer are no failures: the endpoint did not exist
     *     yet, and how long that took is said by the first answer's time
     */
    public OutageTracker(boolean awaitFirstAnswer) {
        this.awaitFirstAnswer = awaitFirstAnswer;
    }

    /** Takes a sample and returns what became certain with it. */
    public List<OutageEvent> offer(Sample sample) {
        if (sample.sequence() < nextSequence || waiting.put(sample.sequence(), sample) != null) {
            throw new IllegalArgumentException("request " + sample.sequence() + " was offered twice");
        }
        List<OutageEvent> events = new ArrayList<>();
        if (!sample.failed() && (firstAnswer == null || sample.done().compareTo(firstAnswer) < 0)) {
            if (firstAnswer == null) {
                events.add(new OutageEvent.FirstAnswer(sample.done()));
            }
            firstAnswer = sample.done();
        }
        while (!waiting.isEmpty() && waiting.firstKey() == nextSequence) {
            take(waiting.pollFirstEntry().getValue(), events);
            nextSequence++;
        }
        return events;
    }

    private void take(Sample sample, List<OutageEvent> events) {
        requests++;
        retries += sample.retries();
        if (sample.failure().isEmpty()) {
            takeAnswer(sample, events);
        } else if (awaitFirstAnswer && (firstAnswer == null || sample.sent().compareTo(firstAnswer) < 0)) {
            beforeFirstAnswer++;
        } else {
            takeFailure(sample, sample.failure().get(), events);
        }
    }

    private void takeAnswer(Sample sample, List<OutageEvent> events) {
        if (answered == answeredNanos.length) {
            answeredNanos = Arrays.copyOf(answeredNanos, answered * 2);
        }
        answeredNanos[answered++] = sample.took().toNanos();
        if (open != null) {
            Duration end = longer(earlierEnd, sample.done());
            Outage ended = new Outage(open.from(), Optional.of(end), open.failures(), open.firstError());
            open = null;
            earlierEnd = Duration.ZERO;
            outages.add(ended);
            events.add(new OutageEvent.Ended(ended));
        }
    }

    private void takeFailure(Sample sample, String error, List<OutageEvent> events) {
        failures++;
        longestFailed = longer(longestFailed, sample.took());
        if (open == null && !outages.isEmpty() && endsAfter(outages.getLast(), sample.sent())) {
            // Sent before the answer that ended the last outage arrived: nobody was served between the two.
            Outage last = outages.removeLast();
            earlierEnd = last.to().orElseThrow();
            open = new Outage(last.from(), Optional.empty(), last.failures() + 1, last.firstError());
        } else if (open == null) {
            open = new Outage(sample.sent(), Optional.empty(), 1, error);
            events.add(new OutageEvent.Began(sample.sent(), error));
        } else {
            open = new Outage(open.from(), Optional.empty(), open.failures() + 1, open.firstError());
        }
    }

    private static boolean endsAfter(Outage outage, Duration time) {
        return outage.to().map(to -> to.compareTo(time) > 0).orElse(true);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /** The figures up to now; samples that still wait for an earlier one are not in them. */
    public ClientReport report(ClientRow row, Duration probeEnd) {
        List<Outage> all = new ArrayList<>(outages);
        if (open != null) {
            all.add(open);
        }
        long[] sorted = Arrays.copyOf(answeredNanos, answered);
        Arrays.sort(sorted);
        Latencies latencies = Latencies.ofSorted(sorted);
        Duration longestWait = longer(latencies.max(), longestFailed);
        for (Outage outage : all) {
            longestWait = longer(longestWait, outage.lasted(probeEnd));
        }
        return new ClientReport(
                row,
                requests,
                failures,
                beforeFirstAnswer,
                retries,
                Optional.ofNullable(firstAnswer),
                longestWait,
                latencies,
                all);
    }
}
