package dev.ouroboros.probe.report;

/** The rows of a report: the clients of a probe and what each of them asks. */
public enum ClientRow {
    NEW("new", true),
    POOLED("pooled", true),
    WATCH("watch", true),
    WRITE("write", true),
    /** Pooled HTTP/1.1 connections whose client never sends a request twice: what the others' retries cover. */
    NO_RETRY_GET("no-retry-get", false),
    NO_RETRY_POST("no-retry-post", false);

    private final String label;
    private final boolean decides;

    ClientRow(String label, boolean decides) {
        this.label = label;
        this.decides = decides;
    }

    public String label() {
        return label;
    }

    /** Whether a failure in this row is a failed request. */
    public boolean decides() {
        return decides;
    }
}
