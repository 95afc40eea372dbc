package dev.ouroboros.api;

import dev.ouroboros.model.json.Json;
import java.util.Optional;

/** A stream of changes of one collection. */
public interface Watch extends AutoCloseable {
    /** One change. */
    sealed interface Event {
        /** Added or modified. */
        record Put(Json object) implements Event {}

        record Removed(Json object) implements Event {}

        /** Nothing changed up to this version. */
        record Bookmark(String version) implements Event {}
    }

    /**
     * Waits for the next change.
     *
     * @return empty when the server ended the watch after its lifetime
     * @throws ApiException TIMEOUT when the server was silent for longer than it may, bookmarks included; EXPIRED
     *     when changes have been missed; UNREACHABLE when the connection was cut off, or the server ended the watch before its time
     *     because it is ending itself
     */
    Optional<Event> next() throws ApiException;

    @Override
    void close();
}
