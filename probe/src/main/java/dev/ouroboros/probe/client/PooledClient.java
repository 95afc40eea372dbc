package dev.ouroboros.probe.client;

import dev.ouroboros.endpoint.Endpoint;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * One HTTP/2 connection for all requests, as client-go has it, with client-go's {@link RetryRules}. The JDK's client honours
 * GOAWAY (JDK-8335181, since 24): no new request goes to that connection, and one that the server declares unprocessed is sent
 * again once. It also repeats, once, a GET on a connection that was closed while idle, as Go's transport does, and at once a
 * refused connect, which Go's does not: two refusals in a row are a failure.
 *
 * <p>Each call has one deadline for all its attempts: what takes longer has failed, whatever the rules would still allow.
 *
 * <p>A connection on which nothing has arrived for 45 seconds is given up: client-go sends an HTTP/2 ping after 30 silent seconds
 * and waits 15 for its answer; the JDK's client has no ping.
 */
public final class PooledClient implements ProbeClient {
    private static final Duration SILENCE = Duration.ofSeconds(45);

    private final Endpoint endpoint;
    private final Duration timeout;
    private final LongSupplier nanoTime;
    private final AtomicReference<Connection> current;

    /** A client and when something last arrived on it. */
    private static final class Connection {
        private final HttpClient client;
        private volatile long lastHeard;

        Connection(HttpClient client, long now) {
            this.client = client;
            this.lastHeard = now;
        }
    }

    public PooledClient(Endpoint endpoint, Duration timeout, LongSupplier nanoTime) {
        this.endpoint = endpoint;
        this.timeout = timeout;
        this.nanoTime = nanoTime;
        this.current = new AtomicReference<>(connection());
    }

    private Connection connection() {
        HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_2)
                .sslContext(endpoint.newSslContext())
                .proxy(HttpClient.Builder.NO_PROXY)
                .connectTimeout(timeout)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .build();
        return new Connection(client, nanoTime.getAsLong());
    }

    @Override
    public Outcome call(ApiRequest request) {
        long deadline = nanoTime.getAsLong() + timeout.toNanos();
        for (int retries = 0; ; retries++) {
            Attempt attempt = attempt(request, deadline);
            Optional<Duration> wait = retries < RetryRules.MAXIMUM_RETRIES ? attempt.retryAfter() : Optional.empty();
            boolean inTime =
                    wait.isPresent() && nanoTime.getAsLong() + wait.get().toNanos() < deadline && rest(wait.get());
            if (!inTime) {
                return attempt.outcome(retries);
            }
        }
    }

    /** An open-ended answer, such as a watch: its events go to {@code stream} until it ends or is cancelled. */
    public void stream(ApiRequest request, LineStream stream) {
        Connection connection = current.get();
        CompletableFuture<HttpResponse<Void>> answer = connection.client.sendAsync(
                build(request, Optional.empty()),
                stream.bodyHandler(() -> connection.lastHeard = nanoTime.getAsLong()));
        stream.startedBy(answer);
    }

    /** For those who wait for a stream in vain: gives up the present connection when nothing arrived on it for too long. */
    public void checkSilence() {
        checkSilence(current.get());
    }

    /** Gives up a connection when it is silent for too long, so that the next request makes a new one. */
    private void checkSilence(Connection connection) {
        if (nanoTime.getAsLong() - connection.lastHeard > SILENCE.toNanos()
                && current.compareAndSet(connection, connection())) {
            connection.client.shutdownNow();
        }
    }

    private sealed interface Attempt {
        Optional<Duration> retryAfter();

        Outcome outcome(int retries);
    }

    private record AnsweredAttempt(HttpResponse<String> response) implements Attempt {
        @Override
        public Optional<Duration> retryAfter() {
            return RetryRules.afterAnswer(
                    response.statusCode(), response.headers().firstValue("Retry-After"));
        }

        @Override
        public Outcome outcome(int retries) {
            return new Outcome.Answered(response.statusCode(), response.body(), retries);
        }
    }

    private record FailedAttempt(String method, Throwable failure) implements Attempt {
        @Override
        public Optional<Duration> retryAfter() {
            return RetryRules.afterFailure(method, failure);
        }

        @Override
        public Outcome outcome(int retries) {
            return new Outcome.Failed(ProbeFailures.describe(failure), retries);
        }
    }

    private Attempt attempt(ApiRequest request, long deadline) {
        Connection connection = current.get();
        Duration left = Duration.ofNanos(Math.max(1, deadline - nanoTime.getAsLong()));
        CompletableFuture<HttpResponse<String>> answer =
                connection.client.sendAsync(build(request, Optional.of(left)), HttpResponse.BodyHandlers.ofString());
        try {
            HttpResponse<String> response = answer.get(left.toNanos(), TimeUnit.NANOSECONDS);
            connection.lastHeard = nanoTime.getAsLong();
            return new AnsweredAttempt(response);
        } catch (TimeoutException e) {
            answer.cancel(true);
            checkSilence(connection);
            return new FailedAttempt(request.method(), timedOut());
        } catch (ExecutionException e) {
            Throwable cause = ProbeFailures.unwrap(e);
            if (cause instanceof HttpTimeoutException) {
                checkSilence(connection);
                return new FailedAttempt(request.method(), timedOut());
            }
            return new FailedAttempt(request.method(), cause);
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            return new FailedAttempt(request.method(), new HttpTimeoutException("interrupted"));
        }
    }

    private HttpTimeoutException timedOut() {
        return new HttpTimeoutException("no answer within " + timeout.toMillis() + " ms");
    }

    private HttpRequest build(ApiRequest request, Optional<Duration> limit) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(endpoint.resolve(request.path()))
                .method(
                        request.method(),
                        request.body()
                                .map(HttpRequest.BodyPublishers::ofString)
                                .orElseGet(HttpRequest.BodyPublishers::noBody));
        request.headers(endpoint.token()).forEach(builder::setHeader);
        limit.ifPresent(builder::timeout);
        return builder.build();
    }

    /** Waits as the server asked; false when interrupted. */
    private static boolean rest(Duration wait) {
        try {
            Thread.sleep(wait);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        current.get().client.shutdownNow();
    }
}
