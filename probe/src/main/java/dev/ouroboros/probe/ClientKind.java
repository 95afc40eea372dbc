package dev.ouroboros.probe;

/** The clients a probe can run; {@code WATCH} writes what it watches and needs an identity for both. */
public enum ClientKind {
    /** A new connection for each request. */
    NEW,
    /** One HTTP/2 connection, with client-go's retries. */
    POOLED,
    /** Kept-alive HTTP/1.1 connections without any retry: GET, and POST (dry run) when there is an identity. */
    NO_RETRY,
    /** A watch on one ConfigMap, and the client that writes it. */
    WATCH
}
