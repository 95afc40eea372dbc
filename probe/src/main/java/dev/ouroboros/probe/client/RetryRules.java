package dev.ouroboros.probe.client;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLException;

/**
 * When client-go sends a request again (k8s.io/client-go/rest, with_retry.go): an answer 429 or 5xx that has a Retry-After header
 * in whole seconds, after that time, for any method; a connection that was reset or ended before the answer, after one second,
 * for GET only; at most ten times. A refused connection and a timeout are failures. What HTTP/2 itself declares unprocessed
 * (a stream beyond GOAWAY's last, REFUSED_STREAM) is sent again at once by the transport, ours and Go's.
 */
public final class RetryRules {
    public static final int MAXIMUM_RETRIES = 10;
    private static final Duration AFTER_LOST_CONNECTION = Duration.ofSeconds(1);

    private RetryRules() {}

    /** How long to wait before an answered request is sent again; empty when the answer stands. */
    public static Optional<Duration> afterAnswer(int status, Optional<String> retryAfter) {
        boolean overloaded = status == 429 || (status >= 500 && status < 600);
        return overloaded
                ? retryAfter
                        .filter(value -> value.matches("\\d{1,9}"))
                        .map(value -> Duration.ofSeconds(Long.parseLong(value)))
                : Optional.empty();
    }

    /** How long to wait before an unanswered request is sent again; empty when it has failed. */
    static Optional<Duration> afterFailure(String method, Throwable failure) {
        return method.equals("GET") && lostConnection(failure) ? Optional.of(AFTER_LOST_CONNECTION) : Optional.empty();
    }

    /** Reset or end of file, also in the middle of a TLS handshake; not a certificate that is refused. */
    private static boolean lostConnection(Throwable failure) {
        return switch (failure) {
            case ConnectException _ -> false;
            case HttpTimeoutException _ -> false;
            case SSLException tls ->
                tls.getCause() instanceof EOFException || tls.getCause() instanceof SocketException;
            case IOException _ -> true;
            default -> false;
        };
    }
}
