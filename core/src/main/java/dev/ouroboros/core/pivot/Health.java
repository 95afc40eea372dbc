package dev.ouroboros.core.pivot;

import java.time.Instant;

/** What a direct probe of a server on this node's loopback found. */
public sealed interface Health {
    /** Nobody listens on the port: the kernel refused the connection. */
    record NotListening() implements Health {}

    /** Something accepts connections but is not ready; {@code detail} is what it said. */
    record NotReady(String detail) implements Health {}

    /** {@code /readyz} has answered ok without interruption since {@code since}. */
    record Ready(Instant since) implements Health {}
}
