package dev.ouroboros.probe;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.probe.client.LineStream;
import dev.ouroboros.probe.client.Outcome;
import dev.ouroboros.probe.client.PooledClient;
import dev.ouroboros.probe.client.RetryRules;
import dev.ouroboros.probe.report.Sample;
import dev.ouroboros.probe.report.WatchJournal.Source;
import java.time.Duration;
import java.util.Optional;

/**
 * Lists and watches one object as a client-go reflector does: list, watch from the list's version, watch again from the last version
 * seen when the watch ends, list again when that version is gone (410). It differs in one thing: a reflector backs off from 0.8 s
 * on, this tries again at the probe's interval, so that the time without a watch is the endpoint's and not ours.
 *
 * <p>A watch that has not delivered an acknowledged write within the request timeout is taken for dead and made anew.
 *
 * <p>A sample of its row is one attempt to establish a watch, the list included when one is needed.
 */
final class Watcher {
    /** Any version: what a reflector's first list asks for. */
    private static final String ANY = "0";
    /** The newest version, by a quorum read. */
    private static final String NEWEST = "";

    private static final Duration LOOK_AROUND = Duration.ofMillis(100);

    private final PooledClient client;
    private final WatchedObject object;
    private final Duration timeout;
    private final Duration retryInterval;
    private final Timeline timeline;
    private final Recorder recorder;
    private final SharedJournal journal;
    private final Pace pace;
    private final Thread thread;
    private String listFrom = ANY;
    private Optional<String> watchFrom = Optional.empty();
    private long sequence;

    Watcher(
            PooledClient client,
            WatchedObject object,
            ProbeOptions options,
            Timeline timeline,
            Recorder recorder,
            SharedJournal journal) {
        this.client = client;
        this.object = object;
        this.timeout = options.timeout();
        this.retryInterval = options.interval();
        this.timeline = timeline;
        this.recorder = recorder;
        this.journal = journal;
        this.pace = new Pace(options.interval(), timeline.nanoTime());
        this.thread = Thread.ofVirtual().name("probe-watcher").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    void stop() throws InterruptedException {
        pace.stop();
        thread.join();
        client.close();
    }

    private void run() {
        try {
            while (!pace.isStopped()) {
                Optional<Duration> wait = establish();
                if (wait.isPresent() && pace.pause(wait.get())) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One attempt, and its watch to the end; how long to wait before the next attempt. */
    private Optional<Duration> establish() throws InterruptedException {
        Duration sent = timeline.now();
        int retries = 0;
        if (watchFrom.isEmpty()) {
            Outcome listed = client.call(object.list(listFrom));
            retries = listed.retries();
            Optional<String> failure = listed.failure();
            if (failure.isPresent()) {
                listFrom = NEWEST;
                return failed(sent, retries, failure.get());
            }
            takeList(listed);
        }
        LineStream stream = new LineStream();
        client.stream(object.watch(watchFrom.orElse(NEWEST)), stream);
        try {
            return follow(stream, sent, retries);
        } finally {
            stream.cancel();
        }
    }

    private Optional<Duration> follow(LineStream stream, Duration sent, int retries) throws InterruptedException {
        switch (stream.next(timeout).orElse(new LineStream.Event.Ended("timeout: no answer to the watch"))) {
            case LineStream.Event.Opened(int status, Optional<String> retryAfter)
            when status == 200 -> {
                recorder.record(new Sample(sequence++, sent, timeline.now(), retries, Optional.empty()));
                journal.connected();
                readEvents(stream);
                client.checkSilence();
                if (!pace.isStopped()) {
                    journal.disconnected();
                }
                return Optional.empty();
            }
            case LineStream.Event.Opened(int status, Optional<String> retryAfter) -> {
                if (status == 410) {
                    expire();
                }
                Optional<Duration> asked = RetryRules.afterAnswer(status, retryAfter);
                return asked.isPresent() ? asked : failed(sent, retries, "HTTP " + status + " to the watch");
            }
            case LineStream.Event.Line(String text) ->
                throw new IllegalStateException("a line before the headers: " + text);
            case LineStream.Event.Ended(String reason) -> {
                client.checkSilence();
                return failed(sent, retries, reason);
            }
        }
    }

    private Optional<Duration> failed(Duration sent, int retries, String reason) {
        recorder.record(new Sample(sequence++, sent, timeline.now(), retries, Optional.of(reason)));
        return Optional.of(retryInterval);
    }

    private void takeList(Outcome listed) {
        if (listed instanceof Outcome.Answered answered) {
            JsonNode list = WatchedObject.parse(answered.body()).orElseThrow();
            for (JsonNode item : list.path("items")) {
                WatchedObject.numberOf(item).ifPresent(number -> journal.observed(number, Source.LIST));
            }
            watchFrom = Optional.of(WatchedObject.resourceVersionOf(list));
        }
    }

    private void readEvents(LineStream stream) throws InterruptedException {
        while (!pace.isStopped() && !journal.stalled(timeout)) {
            Optional<LineStream.Event> event = stream.next(LOOK_AROUND);
            if (event.isEmpty()) {
                continue;
            }
            switch (event.get()) {
                case LineStream.Event.Opened _ -> throw new IllegalStateException("headers came twice");
                case LineStream.Event.Line(String text) -> {
                    if (!takeEvent(text)) {
                        return;
                    }
                }
                case LineStream.Event.Ended _ -> {
                    return;
                }
            }
        }
    }

    /** False when the watch cannot go on from here. */
    private boolean takeEvent(String text) {
        Optional<JsonNode> event = WatchedObject.parse(text);
        if (event.isEmpty()) {
            // A line that was cut off by the end of the connection.
            return false;
        }
        JsonNode changed = event.get().path("object");
        switch (event.get().path("type").asText("")) {
            case "ADDED", "MODIFIED" -> {
                WatchedObject.numberOf(changed).ifPresent(number -> journal.observed(number, Source.WATCH));
                watchFrom = Optional.of(WatchedObject.resourceVersionOf(changed));
            }
            case "DELETED", "BOOKMARK" -> watchFrom = Optional.of(WatchedObject.resourceVersionOf(changed));
            default -> {
                // ERROR carries a Status: 410 Gone, or something from which a new list is the way out as well.
                expire();
                return false;
            }
        }
        return true;
    }

    private void expire() {
        watchFrom = Optional.empty();
        listFrom = NEWEST;
    }
}
