package dev.ouroboros.keeper.api;

import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.json.JsonText;
import dev.ouroboros.keeper.api.ApiException.Kind;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.time.Duration;
import java.util.Optional;

/** A stream of changes of one collection. */
public final class Watch implements AutoCloseable {
    /** An object of etcd has 1.5 MiB at most, its JSON somewhat more. */
    private static final int LONGEST_EVENT = 4 << 20;

    private final HttpConnection connection;
    private final InputStream body;
    private final ApiPath path;
    private final Duration silence;

    /** One change. */
    public sealed interface Event {
        /** Added or modified. */
        record Put(Json object) implements Event {}

        record Removed(Json object) implements Event {}

        /** Nothing changed up to this version. */
        record Bookmark(String version) implements Event {}
    }

    Watch(HttpConnection connection, InputStream body, ApiPath path, Duration silence) {
        this.connection = connection;
        this.body = new BufferedInputStream(body);
        this.path = path;
        this.silence = silence;
    }

    /**
     * Waits for the next change.
     *
     * @return empty when the server ended the watch, as it does after its lifetime
     * @throws ApiException TIMEOUT when the server was silent for longer than it may: it sends a bookmark each minute; EXPIRED
     *     when changes have been missed
     */
    public Optional<Event> next() throws ApiException {
        try {
            connection.within(silence);
            byte[] line = readLine();
            if (line.length == 0) {
                return Optional.empty();
            }
            return Optional.of(event(JsonText.read(line)));
        } catch (IOException e) {
            throw ApiClient.explained(path, e);
        }
    }

    private Event event(Json event) throws IOException {
        Json object = event.at("object");
        return switch (event.at("type").text().orElse("")) {
            case "ADDED", "MODIFIED" -> new Event.Put(object);
            case "DELETED" -> new Event.Removed(object);
            case "BOOKMARK" ->
                new Event.Bookmark(object.at("metadata", "resourceVersion")
                        .text()
                        .orElseThrow(() -> new ProtocolException("a bookmark without a version")));
            case "ERROR" -> throw error(object);
            default -> throw new ProtocolException("an event of no known type");
        };
    }

    private ApiException error(Json status) {
        long code = status.at("code").integer().orElse(0);
        String message = path.text() + ": the watch ended: "
                + status.at("message").text().orElse("no reason given");
        return new ApiException(code == 410 ? Kind.EXPIRED : Kind.SERVER_ERROR, message);
    }

    /** A line without its end; empty at the end of the stream. */
    private byte[] readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(1024);
        for (int next = body.read(); next != '\n'; next = body.read()) {
            if (next < 0) {
                if (line.size() > 0) {
                    throw new EOFException("cut off in the middle of an event");
                }
                return new byte[0];
            }
            if (line.size() >= LONGEST_EVENT) {
                throw new ProtocolException("an event is longer than " + LONGEST_EVENT + " bytes");
            }
            line.write(next);
        }
        return line.toByteArray();
    }

    @Override
    public void close() {
        connection.close();
    }
}
