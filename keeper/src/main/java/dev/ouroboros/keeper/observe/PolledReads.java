package dev.ouroboros.keeper.observe;

import dev.ouroboros.model.evidence.Evidence;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Reads single objects of the API again and again, for sources that may not or need not watch a collection. An object is read while it is wanted, and again when the
 * last read of it is due.
 *
 * @param <K> names what is read
 * @param <R> the outcome of one read
 */
final class PolledReads<K extends Comparable<K>, R extends PolledReads.Read> {
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    private final BiFunction<K, Optional<R>, R> reader;
    private final InstantSource clock;
    private final Signal changed;
    private final Map<K, R> latest = new ConcurrentHashMap<>();
    private volatile SortedSet<K> wanted = Collections.emptySortedSet();

    /** The outcome of one read. */
    interface Read {
        /** What the API server said, or why that is not known. */
        Evidence<?> content();

        /** When the next read is due. */
        Instant due();
    }

    /**
     * Nothing is wanted yet.
     *
     * @param reader reads one object; is given the last read of it, where there was one
     * @param changed raised when a read has another content than the last one
     */
    PolledReads(BiFunction<K, Optional<R>, R> reader, InstantSource clock, Signal changed) {
        this.reader = reader;
        this.clock = clock;
        this.changed = changed;
    }

    /** Only these are read from now on. Sorted: a simulation has to read them in the same order each time. */
    void want(Iterable<K> keys) {
        SortedSet<K> sorted = new TreeSet<>();
        for (K key : keys) {
            sorted.add(key);
        }
        wanted = Collections.unmodifiableSortedSet(sorted);
    }

    /**
     * Reads what is due, and forgets what is not wanted any more.
     *
     * @return how long to wait until the next look
     */
    Duration look() {
        return look(_ -> false);
    }

    /**
     * As {@link #look()}.
     *
     * @param outdated also reads again what this holds for, though it is not due
     */
    Duration look(Predicate<R> outdated) {
        SortedSet<K> now = wanted;
        latest.keySet().retainAll(now);
        for (K key : now) {
            Optional<R> last = latest(key);
            if (last.isEmpty() || !clock.instant().isBefore(last.get().due()) || outdated.test(last.get())) {
                R fresh = reader.apply(key, last);
                latest.put(key, fresh);
                if (last.isEmpty() || !last.get().content().equals(fresh.content())) {
                    changed.raise();
                }
            }
        }
        return changed.sparing(LOOK_EVERY);
    }

    /** The latest read of an object; empty when there was none since it is wanted. */
    Optional<R> latest(K key) {
        return Optional.ofNullable(latest.get(key));
    }

    /** The latest read of each object. */
    SortedMap<K, R> all() {
        return new TreeMap<>(latest);
    }

    /**
     * What each object's latest read said, known or not.
     *
     * @param title of an object, for people
     */
    Map<String, Evidence<?>> contents(Function<K, String> title) {
        Map<String, Evidence<?>> contents = new TreeMap<>();
        latest.forEach((key, read) -> contents.put(title.apply(key), read.content()));
        return contents;
    }
}
