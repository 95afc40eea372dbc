package dev.ouroboros.probe.report;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** A report for people. */
public final class TextReport {
    private static final int SHOWN_OUTAGES = 20;
    private static final String COLUMNS = "%-14s %9s %7s %8s %10s %10s %10s %13s%n";

    private TextReport() {}

    public static String render(ProbeReport report) {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%s: %s, a request every %s for %s%n%n",
                report.server(),
                report.available() ? "no request failed" : verdict(report),
                duration(report.interval()),
                duration(report.lasted())));
        text.append(String.format(
                Locale.ROOT, COLUMNS, "CLIENT", "REQUESTS", "FAILED", "RETRIES", "P50", "P99", "MAX", "LONGEST WAIT"));
        for (ClientReport client : report.clients()) {
            text.append(row(client));
        }
        report.watch().ifPresent(watch -> text.append(watch(watch)));
        for (ClientReport client : report.clients()) {
            text.append(beforeFirstAnswer(client));
            text.append(outages(client, report.lasted()));
        }
        return text.toString();
    }

    private static String verdict(ProbeReport report) {
        if (report.firstAnswer().isEmpty()) {
            return "never answered";
        }
        long failed = report.failedRequests();
        return failed > 0
                ? failed + (failed == 1 ? " request failed" : " requests failed")
                : "not every client was served";
    }

    private static String row(ClientReport client) {
        return String.format(
                Locale.ROOT,
                COLUMNS,
                client.row().label() + (client.row().decides() ? "" : "*"),
                client.requests(),
                client.failures(),
                client.retries(),
                duration(client.latencies().p50()),
                duration(client.latencies().p99()),
                duration(client.latencies().max()),
                duration(client.longestWait()));
    }

    private static String watch(WatchReport watch) {
        return String.format(
                Locale.ROOT,
                "%nwatch: %d writes acknowledged, %d observed, %d missed, %d lost, %d late, %d out of order, %d coalesced; "
                        + "%d reconnects, longest gap %s, longest delay %s%s%n",
                watch.acknowledged(),
                watch.observed(),
                watch.missed(),
                watch.lost(),
                watch.late(),
                watch.wentBack(),
                watch.coalesced(),
                watch.reconnects(),
                duration(watch.longestGap()),
                duration(watch.longestDelay()),
                watch.consistent() ? "" : verdict(watch));
    }

    private static String verdict(WatchReport watch) {
        if (watch.lastAcknowledged().isEmpty()) {
            return "";
        }
        String last =
                "; the last acknowledged write is " + watch.lastAcknowledged().getAsLong();
        return watch.stored().isPresent()
                ? last + ", stored is " + watch.stored().getAsLong()
                : last + ", what is stored could not be read at the end";
    }

    private static String beforeFirstAnswer(ClientReport client) {
        if (client.beforeFirstAnswer() == 0) {
            return "";
        }
        return String.format(
                Locale.ROOT,
                "%n%s: %s; %d requests before it are not counted%n",
                client.row().label(),
                client.firstAnswer()
                        .map(at -> "first answer after " + duration(at))
                        .orElse("no answer"),
                client.beforeFirstAnswer());
    }

    private static String outages(ClientReport client, Duration end) {
        StringBuilder text = new StringBuilder();
        List<Outage> outages = client.outages();
        for (Outage outage : outages.subList(0, Math.min(outages.size(), SHOWN_OUTAGES))) {
            text.append(String.format(Locale.ROOT, "%n%s: %s", client.row().label(), describe(outage, end)));
        }
        if (outages.size() > SHOWN_OUTAGES) {
            text.append(String.format(
                    Locale.ROOT,
                    "%n%s: and %d more outages (all of them with -o json)",
                    client.row().label(),
                    outages.size() - SHOWN_OUTAGES));
        }
        return text.isEmpty()
                ? ""
                : text.append(String.format(Locale.ROOT, "%n")).toString();
    }

    /** An outage as one line, for example {@code outage of 12.1 s from 3.2 s to 15.3 s, 242 failed: refused}. */
    public static String describe(Outage outage, Duration end) {
        return String.format(
                Locale.ROOT,
                "outage of %s from %s %s, %d failed: %s",
                duration(outage.lasted(end)),
                duration(outage.from()),
                outage.to().map(to -> "to " + duration(to)).orElse("on"),
                outage.failures(),
                outage.firstError());
    }

    /** A duration for people: {@code 850 us}, {@code 12.3 ms}, {@code 4.25 s}. */
    public static String duration(Duration duration) {
        double milliseconds = duration.toNanos() / 1e6;
        if (milliseconds < 1 && milliseconds > 0) {
            return String.format(Locale.ROOT, "%.0f us", milliseconds * 1000);
        }
        return milliseconds < 1000
                ? String.format(Locale.ROOT, "%.3g ms", milliseconds)
                : String.format(Locale.ROOT, "%.2f s", milliseconds / 1000);
    }
}
