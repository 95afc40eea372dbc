package dev.ouroboros.dns.serve;

import java.util.concurrent.atomic.AtomicLong;

/** How queries were answered, for the metrics. */
public final class Counters {
    private final AtomicLong fromCluster = new AtomicLong();
    private final AtomicLong forwarded = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong malformed = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();

    void fromCluster() {
        fromCluster.incrementAndGet();
    }

    void forwarded() {
        forwarded.incrementAndGet();
    }

    void failed() {
        failed.incrementAndGet();
    }

    void malformed() {
        malformed.incrementAndGet();
    }

    /** For lack of room: more at once than are taken. */
    void dropped() {
        dropped.incrementAndGet();
    }

    /** As Prometheus reads it. */
    public String text() {
        StringBuilder text = new StringBuilder(512)
                .append("# HELP ouroboros_dns_queries_total Queries by how they were answered.\n")
                .append("# TYPE ouroboros_dns_queries_total counter\n");
        line(text, "cluster", fromCluster);
        line(text, "forwarded", forwarded);
        line(text, "failed", failed);
        line(text, "malformed", malformed);
        line(text, "dropped", dropped);
        return text.toString();
    }

    private static void line(StringBuilder text, String answer, AtomicLong count) {
        text.append("ouroboros_dns_queries_total{answer=\"")
                .append(answer)
                .append("\"} ")
                .append(count.get())
                .append('\n');
    }
}
