package dev.ouroboros.api;

import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes Events for people who look with kubectl. Repetitions of an Event about the same object raise the count of the first, at most every {@link
 * #REPEAT_AFTER}, so that a loop cannot flood the API. Nothing waits for an Event, and nothing depends on one: when no server takes it, it is dropped
 * and counted.
 */
public final class EventRecorder {
    private static final Logger LOG = LoggerFactory.getLogger(EventRecorder.class);
    private static final Duration REPEAT_AFTER = Duration.ofMinutes(5);
    private static final int MOST_WAITING = 64;
    private static final int MOST_REMEMBERED = 256;
    private static final int LONGEST_MESSAGE = 1024;

    private final Api client;
    private final ClusterGuard guard;
    private final Component source;
    private final String nodeName;
    private final InstantSource wallClock;
    private final BlockingQueue<Said> queue = new ArrayBlockingQueue<>(MOST_WAITING);
    private final AtomicLong dropped = new AtomicLong();
    private final Map<Said, Written> written = new LinkedHashMap<>();

    /** What an Event is about. */
    public record About(String kind, String apiVersion, String namespace, String name, String uid) {}

    /**
     * @param warning whether somebody has to do something
     * @param reason in CamelCase
     */
    public record Said(About about, boolean warning, String reason, String message) {
        public Said {
            message = message.length() > LONGEST_MESSAGE ? message.substring(0, LONGEST_MESSAGE) : message;
        }
    }

    /** @param unwritten how often it was said after {@code at} */
    private record Written(String name, long count, Instant at, long unwritten) {}

    /**
     * @param source who says it
     * @param wallClock for the times that people read
     */
    public EventRecorder(Api client, ClusterGuard guard, Component source, String nodeName, InstantSource wallClock) {
        this.client = client;
        this.guard = guard;
        this.source = source;
        this.nodeName = nodeName;
        this.wallClock = wallClock;
    }

    /** Queues an Event and returns at once. */
    public void say(Said said) {
        if (!queue.offer(said)) {
            dropped.incrementAndGet();
        }
    }

    /** How many Events were dropped. */
    public long dropped() {
        return dropped.get();
    }

    /** Writes queued Events until the thread is interrupted. */
    public void run() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                write(queue.take());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ApiException e) {
                dropped.incrementAndGet();
                LOG.debug("event dropped: {}", e.getMessage());
            }
        }
    }

    private void write(Said said) throws ApiException {
        Instant now = wallClock.instant().truncatedTo(ChronoUnit.SECONDS);
        Written before = written.get(said);
        if (before != null && now.isBefore(before.at().plus(REPEAT_AFTER))) {
            written.put(said, new Written(before.name(), before.count(), before.at(), before.unwritten() + 1));
            return;
        }
        guard.require();
        long count = before == null ? 1 : before.count() + before.unwritten() + 1;
        Optional<String> name = before == null ? Optional.empty() : repeat(said, before.name(), count, now);
        String known = name.isPresent() ? name.get() : create(said, count, now);
        if (written.size() >= MOST_REMEMBERED) {
            written.remove(written.keySet().iterator().next());
        }
        written.put(said, new Written(known, count, now, 0));
    }

    /** Raises the count of an Event that was written before; empty when it does not exist any more: servers drop Events after an hour. */
    private Optional<String> repeat(Said said, String name, long count, Instant now) throws ApiException {
        Json.Fields patch =
                Json.object().with("count", Json.number(count)).with("lastTimestamp", Json.text(now.toString()));
        try {
            client.patch(collection(said).named(name), Api.PatchType.MERGE, patch);
            return Optional.of(name);
        } catch (ApiException e) {
            if (e.kind() == Kind.NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private String create(Said said, long count, Instant now) throws ApiException {
        About about = said.about();
        String name = about.name() + "." + Long.toHexString(System.nanoTime());
        Json.Fields involved = Json.object()
                .with("kind", Json.text(about.kind()))
                .with("apiVersion", Json.text(about.apiVersion()))
                .with("name", Json.text(about.name()))
                .with("namespace", Json.text(about.namespace()))
                .with("uid", Json.text(about.uid()));
        Json.Fields event = Json.object()
                .with("apiVersion", Json.text("v1"))
                .with("kind", Json.text("Event"))
                .with(
                        "metadata",
                        Json.object().with("name", Json.text(name)).with("namespace", Json.text(namespace(said))))
                .with("involvedObject", involved)
                .with("type", Json.text(said.warning() ? "Warning" : "Normal"))
                .with("reason", Json.text(said.reason()))
                .with("message", Json.text(said.message()))
                .with(
                        "source",
                        Json.object().with("component", Json.text(source.id())).with("host", Json.text(nodeName)))
                .with("firstTimestamp", Json.text(now.toString()))
                .with("lastTimestamp", Json.text(now.toString()))
                .with("count", Json.number(count));
        client.create(collection(said), event);
        return name;
    }

    private static ApiPath collection(Said said) {
        return ApiPath.core(namespace(said), "events");
    }

    /** Events of objects without a namespace, such as a Node, are in default. */
    private static String namespace(Said said) {
        return said.about().namespace().isEmpty() ? "default" : said.about().namespace();
    }
}
