package dev.ouroboros.api;

import dev.ouroboros.model.json.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Why a request has no answer that can be used. */
public final class ApiException extends IOException {
    private static final long serialVersionUID = 1;

    /** What a caller may conclude. Only {@link #NOT_FOUND} says something about the object; all others say nothing. */
    public enum Kind {
        /** Nobody answered: refused, cut off, TLS failed. */
        UNREACHABLE,
        /** Not within the deadline, or a watch that stalled. */
        TIMEOUT,
        /** 401 or 403. */
        FORBIDDEN,
        /** 404, said by a server of our cluster. */
        NOT_FOUND,
        /** 409. */
        CONFLICT,
        /** 410: the version to go on from has been compacted away. */
        EXPIRED,
        /** 429. */
        THROTTLED,
        /** Any other 4xx: the request is wrong, and repeating it does not help. */
        REFUSED,
        /** 5xx. */
        SERVER_ERROR,
        /** An answer that is not what the API's conventions say, or is larger than what we take. */
        GARBAGE,
        /** Another cluster's API server answered. */
        OTHER_CLUSTER,
        /** The kubeconfig cannot be read. */
        NO_CREDENTIALS,
        /** Which cluster this node belongs to cannot be read, or not be written down. */
        NO_IDENTITY
    }

    private static final Duration FORBIDDEN = Duration.ofSeconds(30);

    private final Kind kind;
    private final transient Optional<Duration> retryAfter;
    private final transient Optional<Refusal> refusal;

    /**
     * A server's answer that is no success.
     *
     * @param code of HTTP
     * @param status a {@code Status} object as the server says it; absent where it says something else
     */
    public record Refusal(int code, Json status) {}

    public ApiException(Kind kind, String message) {
        this(kind, message, Optional.empty());
    }

    public ApiException(Kind kind, String message, Optional<Duration> retryAfter) {
        super(message);
        this.kind = kind;
        this.retryAfter = retryAfter;
        this.refusal = Optional.empty();
    }

    ApiException(Kind kind, String message, Optional<Duration> retryAfter, Refusal refusal) {
        super(message);
        this.kind = kind;
        this.retryAfter = retryAfter;
        this.refusal = Optional.of(refusal);
    }

    ApiException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.retryAfter = Optional.empty();
        this.refusal = Optional.empty();
    }

    public Kind kind() {
        return kind;
    }

    /** What the server answered; empty when nobody did, or the answer makes no sense. */
    public Optional<Refusal> refusal() {
        return refusal;
    }

    /**
     * How long to wait before asking again: as long as the server asks for, or half a minute where a right is missing, which a person may grant
     * meanwhile.
     *
     * @param usual after any other failure
     */
    public Duration pause(Duration usual) {
        return retryAfter.orElse(kind == Kind.FORBIDDEN ? FORBIDDEN : usual);
    }

    /** The server's {@code Retry-After}. */
    public Optional<Duration> retryAfter() {
        return retryAfter;
    }
}
