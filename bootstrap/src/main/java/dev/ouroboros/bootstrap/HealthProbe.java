package dev.ouroboros.bootstrap;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.evidence.Health;
import dev.ouroboros.endpoint.Endpoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * Asks one address of an API server for {@code /readyz}, each time over a new connection. The certificate must come from the
 * cluster's CA; its names are not compared, as the address may be a loopback address that a certificate need not have.
 */
final class HealthProbe {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final String HEALTH = "/readyz";
    private static final String STATUS = "HTTP/1.1 ";
    private static final List<String> TRY_AGAIN = List.of("429", "503", "504");
    private static final String SECRETS = "/api/v1/namespaces/kube-system/secrets?limit=500";

    /** One context for all probes: handshakes after the first are short, and the server still takes part in each of them. */
    private final SSLContext context;

    private final InetSocketAddress address;
    private final Optional<String> token;
    private final InstantSource clock;

    HealthProbe(Endpoint endpoint, InetSocketAddress address, InstantSource clock) {
        this.context = endpoint.newSslContext();
        this.address = address;
        this.token = endpoint.token();
        this.clock = clock;
    }

    /**
     * One probe.
     *
     * @param previous the last result: a server that stays ready keeps its time
     */
    Health probe(Health previous) {
        try (Socket plain = new Socket()) {
            plain.connect(address, (int) TIMEOUT.toMillis());
            plain.setSoTimeout((int) TIMEOUT.toMillis());
            return ask(plain, previous);
        } catch (ConnectException e) {
            return new Health.NotListening();
        } catch (IOException e) {
            return new Health.NotReady(e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    private Health ask(Socket plain, Health previous) throws IOException {
        try (SSLSocket socket = (SSLSocket)
                context.getSocketFactory().createSocket(plain, address.getHostString(), address.getPort(), true)) {
            Optional<String> trouble = troubleWith(HEALTH, socket);
            if (trouble.isPresent()) {
                return new Health.NotReady(trouble.get());
            }
            return previous instanceof Health.Ready ? previous : new Health.Ready(clock.instant());
        }
    }

    /**
     * Whether the server lists Secrets. Without a resource version the list is read from etcd, and each Secret decrypted: {@code /readyz}
     * knows nothing of a wrong key. Unknown when the server does not answer in time, or is too busy (429, 503, 504).
     */
    Evidence<Boolean> listsSecrets() {
        try (Socket plain = new Socket()) {
            plain.connect(address, (int) TIMEOUT.toMillis());
            plain.setSoTimeout((int) TIMEOUT.toMillis());
            try (SSLSocket socket = (SSLSocket)
                    context.getSocketFactory().createSocket(plain, address.getHostString(), address.getPort(), true)) {
                Optional<String> trouble = troubleWith(SECRETS, socket);
                return trouble.filter(HealthProbe::mayPass).isPresent()
                        ? Evidence.unknown("listing Secrets: " + trouble.get())
                        : Evidence.known(trouble.isEmpty());
            }
        } catch (IOException e) {
            return Evidence.unknown("listing Secrets: " + e);
        }
    }

    private static boolean mayPass(String trouble) {
        return !trouble.startsWith(STATUS)
                || TRY_AGAIN.stream().anyMatch(code -> trouble.startsWith(code, STATUS.length()));
    }

    /** What came instead of 200. */
    private Optional<String> troubleWith(String path, SSLSocket socket) throws IOException {
        String authorization =
                token.map(value -> "Authorization: Bearer " + value + "\r\n").orElse("");
        String request =
                "GET " + path + " HTTP/1.1\r\nHost: kubernetes\r\n" + authorization + "Connection: close\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        BufferedReader reader =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        String status = reader.readLine();
        if (status == null) {
            return Optional.of("closed the connection without an answer");
        }
        return status.startsWith(STATUS + "200") ? Optional.empty() : Optional.of(status);
    }

    /** Whether the server that answers shows a certificate of the cluster's CA; no request is sent. */
    boolean hasCertificateOfCluster() {
        try (Socket plain = new Socket()) {
            plain.connect(address, (int) TIMEOUT.toMillis());
            plain.setSoTimeout((int) TIMEOUT.toMillis());
            try (SSLSocket socket = (SSLSocket)
                    context.getSocketFactory().createSocket(plain, address.getHostString(), address.getPort(), true)) {
                socket.startHandshake();
                return true;
            }
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether anybody listens at an address, for servers whose health is not asked for. */
    static Health probeListening(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, (int) TIMEOUT.toMillis());
            return new Health.NotReady("listens");
        } catch (ConnectException e) {
            return new Health.NotListening();
        } catch (IOException e) {
            return new Health.NotReady(e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }
}
