package dev.ouroboros.probe.client;

import dev.ouroboros.endpoint.Endpoint;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A pool of HTTP/1.1 connections that are kept alive, as simple clients have it: a connection that the server has closed while
 * idle is not used again, but no request is ever sent twice.
 */
public final class KeepAliveClient implements ProbeClient {
    private final Endpoint endpoint;
    private final Duration timeout;
    private final SSLContext context;
    private final Deadlines deadlines = new Deadlines();
    private final ConcurrentLinkedDeque<Pooled> idle = new ConcurrentLinkedDeque<>();

    private record Pooled(Socket socket, PlainConnection connection) {}

    public KeepAliveClient(Endpoint endpoint, Duration timeout) {
        this.endpoint = endpoint;
        this.timeout = timeout;
        this.context = endpoint.newSslContext();
    }

    @Override
    public Outcome call(ApiRequest request) {
        Pooled kept = takeAlive();
        Socket socket = kept == null ? new Socket() : kept.socket();
        try {
            return deadlines.within(timeout, socket, () -> {
                PlainConnection connection =
                        kept == null ? PlainConnection.open(endpoint, context, socket, timeout) : kept.connection();
                Outcome answer = connection.exchange(request, true);
                if (connection.reusable()) {
                    idle.push(new Pooled(socket, connection));
                } else {
                    connection.close();
                }
                return answer;
            });
        } catch (IOException e) {
            discard(socket, e);
            return new Outcome.Failed(ProbeFailures.describe(e), 0);
        }
    }

    /** The connection used last, as pools do: the others age and are found closed when they are needed. */
    private @Nullable Pooled takeAlive() {
        for (Pooled pooled = idle.poll(); pooled != null; pooled = idle.poll()) {
            if (pooled.connection().alive()) {
                return pooled;
            }
            discard(pooled.socket(), new IOException("closed by the server"));
        }
        return null;
    }

    private static void discard(Socket socket, IOException reason) {
        try {
            socket.close();
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }

    @Override
    public void close() {
        deadlines.close();
        for (Pooled pooled = idle.poll(); pooled != null; pooled = idle.poll()) {
            discard(pooled.socket(), new IOException("the probe ended"));
        }
    }
}
