package dev.ouroboros.model.evidence;

import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What a direct probe of a server on this node's loopback found. */
public sealed interface Health {
    /** Nobody listens on the port: the kernel refused the connection. */
    record NotListening() implements Health {}

    /**
     * Something accepts connections but is not ready.
     *
     * @param detail what it said: of an answer with a body, the body, whose lines name each check that failed
     * @param silentSince since when the process has answered nothing: it does not shake hands, because the kernel alone takes
     *     connections for it, or it does and then answers no request, not even one that looks at nothing. Empty when it answered
     *     something, be it an error, and where that is not told apart
     */
    record NotReady(String detail, Optional<Instant> silentSince) implements Health {
        private static final String FAILED_CHECK = "[-]";

        /** Of a server that said something. */
        public NotReady(String detail) {
            this(detail, Optional.empty());
        }

        /**
         * The names of the checks that failed, as {@code /readyz} of an API server lists them, a check a line: {@code
         * [-]etcd failed: reason withheld} (handleRootHealth in k8s.io/apiserver/pkg/server/healthz). Empty when it said no such
         * thing, for example because it did not answer in time.
         */
        public Set<String> failedChecks() {
            return detail.lines()
                    .filter(line -> line.startsWith(FAILED_CHECK))
                    .map(line -> line.substring(FAILED_CHECK.length()).split(" ", 2)[0])
                    .collect(Collectors.toUnmodifiableSet());
        }
    }

    /** {@code /readyz} has answered ok without interruption since {@code since}. */
    record Ready(Instant since) implements Health {}

    static boolean isReady(Evidence<Health> probe) {
        return probe.is(health -> health instanceof Ready);
    }

    static boolean listens(Evidence<Health> probe) {
        return probe.is(health -> !(health instanceof NotListening));
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
            case Known<Health>(NotReady(String detail, var _)) -> "not ready: " + ServerAnswer.cause(detail);
            case Known<Health>(Ready _) -> "ready";
        };
    }
}
