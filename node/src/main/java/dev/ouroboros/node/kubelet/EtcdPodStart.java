package dev.ouroboros.node.kubelet;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Waiting;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** The start of the etcd that a kubelet was given as a static pod. */
public final class EtcdPodStart {
    private static final int LOG_LINES = 5;

    private final Waiting waiting;
    private final PodLogs logs;
    private final Duration limit;

    /**
     * @param logs of the node
     * @param limit how long it may take
     */
    public EtcdPodStart(Waiting waiting, PodLogs logs, Duration limit) {
        this.limit = limit;
        this.waiting = waiting;
        this.logs = logs;
    }

    /**
     * Waits for etcd.
     *
     * @param healthy whether it says that it is
     * @param next what people can look at, and do
     * @throws ProblemException COMPONENT_FAILED with the last lines of etcd's log when it does not become healthy
     */
    public void await(String nodeName, BooleanSupplier healthy, String next) {
        if (!waiting.until(healthy, limit)) {
            String log = logs.tail("kube-system", "etcd-" + nodeName, "etcd", LOG_LINES);
            throw ProblemException.of(
                    ErrorCode.COMPONENT_FAILED,
                    "etcd",
                    "is not healthy after " + limit.toSeconds() + " s"
                            + (log.isEmpty() ? " and has never logged anything" : ": " + log),
                    "",
                    next);
        }
    }
}
