package dev.ouroboros.api;

import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.api.Watch.Event;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a copy of a collection: a complete list, followed by a watch. The algorithm:
 *
 * <ol>
 *   <li>Make sure that our own cluster answers.
 *   <li>Without a version to go on from: list, a page at a time, with a read that etcd confirms. The copy is known.
 *   <li>Watch from that version. Each event and each bookmark is the next version. The copy is known.
 *   <li>A watch that ends after its lifetime is opened again at once, from the last version; nothing was missed.
 *   <li>A watch that is cut off, ended before its lifetime, or silent for longer than it should be: list again at once. When that fails,
 *       the copy is unknown until it succeeds. Who answers next may have another history, because etcd was restored from a backup: it counts revisions a second time,
 *       and a watch from one of before would never be told what was lost.
 *   <li>410: changes were missed; list again. An answer that makes no sense: the same, and the copy is unknown meanwhile.
 *   <li>Failures are retried after a time that doubles up to a limit, or that the server asked for.
 * </ol>
 *
 * @param <T> what is kept of an object: not more than is needed
 */
public final class Reflector<T> {
    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);

    private final String name;
    private final Api client;
    private final ClusterGuard guard;
    private final ApiPath collection;
    private final Function<Json, T> keep;
    private final Runnable changed;
    private final Times times;
    private final Size size;
    private final AtomicReference<Evidence<SortedMap<String, T>>> published =
            new AtomicReference<>(Evidence.unknown("not read yet"));

    private SortedMap<String, T> copy = new TreeMap<>();
    private Optional<String> version = Optional.empty();
    /** Whether a bookmark came on the last watch, or on the one that is open. */
    private boolean bookmarked;

    private Duration pause;

    /**
     * @param lifetime of one watch, after which the server ends it
     * @param silence after which a watch is taken for stalled, of a server that sent a bookmark on the last one: newer ones send one
     *     each minute
     * @param quiet the same when it sent none. Servers promise no bookmarks: those of 1.20 have one two seconds before a watch's end
     *     only, and none has any before something happened in the collection (k8s.io/apiserver/pkg/storage/cacher)
     * @param shortestPause between two tries
     * @param longestPause between two tries
     */
    public record Times(
            Duration lifetime, Duration silence, Duration quiet, Duration shortestPause, Duration longestPause) {
        public static final Times DEFAULT = new Times(
                Duration.ofMinutes(10),
                Duration.ofSeconds(80),
                Duration.ofMinutes(5),
                Duration.ofMillis(250),
                Duration.ofSeconds(5));
    }

    /**
     * How much of it there may be.
     *
     * @param page objects in one answer: it is in memory as a whole
     * @param most objects altogether
     */
    public record Size(int page, int most) {
        public static final Size DEFAULT = new Size(100, 5000);
    }

    /**
     * @param name for people
     * @param keep what to keep of an object
     * @param changed called after the copy changed or became unknown
     */
    public Reflector(
            String name,
            Api client,
            ClusterGuard guard,
            ApiPath collection,
            Function<Json, T> keep,
            Runnable changed,
            Times times) {
        this(name, client, guard, collection, keep, changed, times, Size.DEFAULT);
    }

    /** The same of a collection whose objects are large, or many. */
    public Reflector(
            String name,
            Api client,
            ClusterGuard guard,
            ApiPath collection,
            Function<Json, T> keep,
            Runnable changed,
            Times times,
            Size size) {
        this.name = name;
        this.client = client;
        this.guard = guard;
        this.collection = collection;
        this.keep = keep;
        this.changed = changed;
        this.times = times;
        this.size = size;
        this.pause = times.shortestPause();
    }

    /** The copy by {@code namespace/name}, or why there is none. */
    public Evidence<SortedMap<String, T>> value() {
        return published.get();
    }

    /**
     * Follows the collection for as long as one watch lasts: to be called again and again.
     *
     * @return when to call it again
     */
    public Duration follow() {
        Optional<ApiException> failure = followOrForget();
        if (failure.isEmpty()) {
            // A server that ends every watch at once must not keep us busy.
            return times.shortestPause();
        }
        Duration wait = failure.get().retryAfter().orElse(pause);
        Duration doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(times.longestPause()) < 0 ? doubled : times.longestPause();
        return wait;
    }

    /** As {@link #follow}; a defect of ours is told, and ends nothing: the copy is unknown until it is listed again. */
    Duration followOrPause() {
        try {
            return follow();
        } catch (RuntimeException e) {
            LOG.error("component=api-client source={} event=defect", name, e);
            return times.longestPause();
        }
    }

    /** After a defect of ours the copy is not known to be right. */
    private Optional<ApiException> followOrForget() {
        try {
            return followOnce();
        } catch (RuntimeException e) {
            version = Optional.empty();
            unknown("a defect: " + e);
            throw e;
        }
    }

    /** One list if needed and one watch; a failure that leaves the copy unknown, or empty. */
    private Optional<ApiException> followOnce() {
        boolean watching = false;
        try {
            guard.require();
            if (version.isEmpty()) {
                list();
                publish();
            }
            Duration silence = bookmarked ? times.silence() : times.quiet();
            try (Watch watch = client.watch(collection, version.orElseThrow(), times.lifetime(), silence)) {
                watching = true;
                bookmarked = false;
                pause = times.shortestPause();
                publish();
                for (Optional<Event> event = watch.next(); event.isPresent(); event = watch.next()) {
                    apply(event.get());
                }
            }
            return Optional.empty();
        } catch (ApiException e) {
            if (Thread.currentThread().isInterrupted()) {
                return Optional.empty();
            }
            return failed(e, watching);
        }
    }

    private Optional<ApiException> failed(ApiException e, boolean watching) {
        switch (e.kind()) {
            case EXPIRED -> {
                version = Optional.empty();
                return Optional.empty();
            }
            case GARBAGE, OTHER_CLUSTER -> version = Optional.empty();
            case UNREACHABLE, TIMEOUT, SERVER_ERROR -> {
                version = Optional.empty();
                if (watching) {
                    return Optional.empty();
                }
            }
            case FORBIDDEN, NOT_FOUND, CONFLICT, THROTTLED, REFUSED, NO_CREDENTIALS, NO_IDENTITY -> {}
        }
        unknown(String.valueOf(e.getMessage()));
        return Optional.of(e);
    }

    private void list() throws ApiException {
        SortedMap<String, T> found = new TreeMap<>();
        Optional<String> next = Optional.empty();
        String listed = "";
        do {
            ApiPath page = collection.with("limit", Integer.toString(size.page()));
            Json list = client.get(next.isPresent() ? page.with("continue", next.get()) : page);
            listed = list.at("metadata", "resourceVersion")
                    .text()
                    .orElseThrow(() -> new ApiException(Kind.GARBAGE, collection + ": a list without a version"));
            for (Json item : list.at("items").items()) {
                found.put(keyOf(item), keep.apply(item));
            }
            if (found.size() > size.most()) {
                throw new ApiException(Kind.GARBAGE, collection + ": more than " + size.most() + " objects");
            }
            next = list.at("metadata", "continue").text().filter(token -> !token.isEmpty());
        } while (next.isPresent());
        copy = found;
        version = Optional.of(listed);
    }

    private void apply(Event event) throws ApiException {
        switch (event) {
            case Event.Put(Json object) -> {
                version = Optional.of(versionOf(object));
                copy.put(keyOf(object), keep.apply(object));
                publish();
            }
            case Event.Removed(Json object) -> {
                version = Optional.of(versionOf(object));
                copy.remove(keyOf(object));
                publish();
            }
            case Event.Bookmark(String reached) -> {
                version = Optional.of(reached);
                bookmarked = true;
            }
        }
    }

    private String keyOf(Json object) throws ApiException {
        String objectName = object.at("metadata", "name")
                .text()
                .orElseThrow(() -> new ApiException(Kind.GARBAGE, collection + ": an object without a name"));
        return object.at("metadata", "namespace")
                        .text()
                        .map(namespace -> namespace + "/")
                        .orElse("")
                + objectName;
    }

    private String versionOf(Json object) throws ApiException {
        return object.at("metadata", "resourceVersion")
                .text()
                .orElseThrow(() -> new ApiException(Kind.GARBAGE, collection + ": an object without a version"));
    }

    private void publish() {
        Evidence<SortedMap<String, T>> before = published.get();
        if (before instanceof Evidence.Known<SortedMap<String, T>>(SortedMap<String, T> known) && known.equals(copy)) {
            return;
        }
        published.set(Evidence.known(Collections.unmodifiableSortedMap(new TreeMap<>(copy))));
        if (!(before instanceof Evidence.Known)) {
            LOG.info("component=api-client source={} event=known objects={}", name, copy.size());
        }
        changed.run();
    }

    private void unknown(String reason) {
        Evidence<SortedMap<String, T>> before = published.getAndSet(Evidence.unknown(reason));
        if (before instanceof Evidence.Known) {
            LOG.warn("component=api-client source={} event=unknown reason=\"{}\"", name, reason);
            changed.run();
        }
    }
}
