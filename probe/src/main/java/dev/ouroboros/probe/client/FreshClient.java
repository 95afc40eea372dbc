package dev.ouroboros.probe.client;

import dev.ouroboros.endpoint.Endpoint;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;

/** A new client for each request: a new TCP connection, a full TLS handshake, one request, one attempt. */
public final class FreshClient implements ProbeClient {
    private final Endpoint endpoint;
    private final Duration timeout;
    private final Deadlines deadlines = new Deadlines();

    public FreshClient(Endpoint endpoint, Duration timeout) {
        this.endpoint = endpoint;
        this.timeout = timeout;
    }

    @Override
    public Outcome call(ApiRequest request) {
        try (Socket socket = new Socket()) {
            return deadlines.within(timeout, socket, () -> {
                try (PlainConnection connection =
                        PlainConnection.open(endpoint, endpoint.newSslContext(), socket, timeout)) {
                    return connection.exchange(request, false);
                }
            });
        } catch (IOException e) {
            return new Outcome.Failed(ProbeFailures.describe(e), 0);
        }
    }

    @Override
    public void close() {
        deadlines.close();
    }
}
