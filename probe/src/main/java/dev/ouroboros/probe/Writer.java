package dev.ouroboros.probe;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.probe.client.ApiRequest;
import dev.ouroboros.probe.client.Outcome;
import dev.ouroboros.probe.client.ProbeClient;
import dev.ouroboros.probe.report.Sample;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Writes the next number to the watched object at a fixed rate, one write after the other: the next begins when the one before is
 * acknowledged or has failed. Each write names the version it replaces. So a write that seemed to fail and still arrives late is
 * refused, and numbers never go back.
 */
final class Writer {
    private static final int ATTEMPTS = 3;

    private final ProbeClient client;
    private final WatchedObject object;
    private final Timeline timeline;
    private final Recorder recorder;
    private final SharedJournal journal;
    private final Pace pace;
    private final Thread thread;
    private String resourceVersion = "";

    Writer(
            ProbeClient client,
            WatchedObject object,
            Duration interval,
            Timeline timeline,
            Recorder recorder,
            SharedJournal journal) {
        this.client = client;
        this.object = object;
        this.timeline = timeline;
        this.recorder = recorder;
        this.journal = journal;
        this.pace = new Pace(interval, timeline.nanoTime());
        this.thread = Thread.ofVirtual().name("probe-writer").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Returns when the last write is acknowledged or has failed. */
    void stop() throws InterruptedException {
        pace.stop();
        thread.join();
    }

    private void run() {
        for (long number = 0; pace.next(); number++) {
            Duration sent = timeline.now();
            Outcome outcome = write(number);
            if (outcome.failure().isEmpty()) {
                journal.acknowledged(number);
            }
            recorder.record(new Sample(number, sent, timeline.now(), outcome.retries(), outcome.failure()));
        }
    }

    private Outcome write(long number) {
        Outcome outcome = new Outcome.Failed("not sent", 0);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            outcome = send(number);
            boolean outdated = outcome instanceof Outcome.Answered answered
                    && (answered.status() == 409 || answered.status() == 404)
                    && !resourceVersion.isEmpty();
            learn(outcome);
            if (!outdated) {
                return outcome;
            }
        }
        return outcome;
    }

    /** Creates the object or updates the version that is there. */
    private Outcome send(long number) {
        if (!resourceVersion.isEmpty()) {
            return client.call(object.update(number, resourceVersion));
        }
        Outcome present = client.call(object.get());
        return switch (present) {
            case Outcome.Answered answered when answered.status() == 404 -> client.call(object.create(number));
            case Outcome.Answered answered
            when answered.status() == 200 -> {
                learn(answered);
                yield client.call(object.update(number, resourceVersion));
            }
            case Outcome.Answered answered -> answered;
            case Outcome.Failed failed -> failed;
        };
    }

    /** After anything but a success the stored version is unknown. */
    private void learn(Outcome outcome) {
        resourceVersion = "";
        if (outcome instanceof Outcome.Answered answered && outcome.failure().isEmpty()) {
            WatchedObject.parse(answered.body())
                    .ifPresent(stored -> resourceVersion = WatchedObject.resourceVersionOf(stored));
        }
    }

    /** The number in the API now; empty when it cannot be read. */
    OptionalLong stored() {
        return client.call(object.get()) instanceof Outcome.Answered answered && answered.status() == 200
                ? numberOf(answered)
                : OptionalLong.empty();
    }

    private static OptionalLong numberOf(Outcome.Answered answered) {
        Optional<JsonNode> stored = WatchedObject.parse(answered.body());
        return stored.isPresent() ? WatchedObject.numberOf(stored.get()) : OptionalLong.empty();
    }

    /** Removes the object; why it could not be removed, if so. */
    Optional<String> removeObject() {
        ApiRequest request = object.delete();
        Outcome outcome = client.call(request);
        boolean gone = outcome instanceof Outcome.Answered answered && answered.status() == 404;
        return gone ? Optional.empty() : outcome.failure();
    }

    void close() {
        client.close();
    }
}
