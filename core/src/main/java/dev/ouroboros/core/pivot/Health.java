package dev.ouroboros.core.pivot;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.evidence.Evidence.Known;
import dev.ouroboros.core.evidence.Evidence.Unknown;
import java.time.Instant;

/** What a direct probe of a server on this node's loopback found. */
public sealed interface Health {
    /** Nobody listens on the port: the kernel refused the connection. */
    record NotListening() implements Health {}

    /** Something accepts connections but is not ready; {@code detail} is what it said. */
    record NotReady(String detail) implements Health {}

    /** {@code /readyz} has answered ok without interruption since {@code since}. */
    record Ready(Instant since) implements Health {}

    static boolean isReady(Evidence<Health> probe) {
        return probe.is(health -> health instanceof Ready);
    }

    /** Known not to serve; an unknown probe is no reason to act. */
    static boolean isDown(Evidence<Health> probe) {
        return probe.is(health -> !(health instanceof Ready));
    }

    /** For people. */
    static String describe(Evidence<Health> probe) {
        return switch (probe) {
            case Unknown<Health>(String reason) -> reason;
            case Known<Health>(NotListening _) -> "does not listen yet";
            case Known<Health>(NotReady(String detail)) -> "not ready: " + detail;
            case Known<Health>(Ready _) -> "ready";
        };
    }
}
