package dev.ouroboros.api;

import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.time.Duration;
import java.util.Optional;

/** A watch as the API server streams it: one event a line. */
final class StreamedWatch implements Watch {
    /** etcd limits an object to 1.5 MiB; its JSON is somewhat longer. */
    private static final int LONGEST_EVENT = 4 << 20;
    /** The server counts a watch's lifetime in whole seconds, by its own clock, from when it began with the request. */
    private static final Duration CLOCKS_DIFFER = Duration.ofSeconds(2);

    private final HttpConnection connection;
    private final InputStream body;
    private final ApiPath path;
    private final Duration silence;
    private final long regularEnd;

    /**
     * @param lifetime that the server was asked for
     * @param silence after which it is taken for stalled
     */
    StreamedWatch(HttpConnection connection, InputStream body, ApiPath path, Duration lifetime, Duration silence) {
        this.connection = connection;
        this.body = new BufferedInputStream(body);
        this.path = path;
        this.silence = silence;
        this.regularEnd = System.nanoTime() + lifetime.minus(CLOCKS_DIFFER).toNanos();
    }

    @Override
    public Optional<Event> next() throws ApiException {
        try {
            connection.within(silence);
            byte[] line = readLine();
            if (line.length == 0 && System.nanoTime() - regularEnd < 0) {
                throw new ApiException(Kind.UNREACHABLE, path + ": the server ended the watch before its time");
            }
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
