package dev.ouroboros.bench;

/** What is measured; less is better for each of them. */
enum Metric {
    VERSION("`--version`", "s"),
    RENDER("render", "s"),
    RENDER_MEMORY("render, peak memory", "MiB"),
    ARCHIVE_SIZE("archive without Java", "MB"),
    ARCHIVE_UNPACKED("archive, unpacked", "MB"),
    ARCHIVE_VERSION("archive, `--version`", "s"),
    FIRST_ANSWER("start: first API answer", "s"),
    START_RETURNS("start: returns", "s"),
    SERVES_ALONE("start: self-hosted control plane serves alone", "s"),
    FAILED_REQUESTS("start: requests failed after the first answer", ""),
    UNAVAILABLE("start: API unavailable after the first answer", "s"),
    START_MEMORY("start, peak memory", "MiB");

    private final String label;
    private final String unit;

    Metric(String label, String unit) {
        this.label = label;
        this.unit = unit;
    }

    String label() {
        return label;
    }

    /** Empty for a plain number. */
    String unit() {
        return unit;
    }
}
