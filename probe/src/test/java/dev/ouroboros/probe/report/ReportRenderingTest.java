package dev.ouroboros.probe.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ReportRenderingTest {
    private static final Outage OUTAGE =
            new Outage(Duration.ofMillis(3200), Optional.of(Duration.ofMillis(15_300)), 242, "connect: refused");

    @Test
    void textShowsTheVerdictARowForEachClientAndEveryOutage() {
        assertThat(TextReport.render(report(ClientRow.NEW, OUTAGE))).isEqualTo("""
                        https://10.0.0.1:6443: 242 requests failed, a request every 50.0 ms for 30.00 s

                        CLIENT          REQUESTS  FAILED  RETRIES        P50        P99        MAX  LONGEST WAIT
                        new                  600     242        1    5.00 ms    9.00 ms    12.0 ms       12.10 s

                        watch: 60 writes acknowledged, 60 observed, 0 missed, 0 lost, 0 late, 0 out of order, 0 coalesced; \
                        1 reconnects, longest gap 1.50 s, longest delay 850 us

                        new: outage of 12.10 s from 3.20 s to 15.30 s, 242 failed: connect: refused
                        """);
    }

    @Test
    void jsonHoldsEveryFigureInSeconds() {
        var json = JsonReport.tree(report(ClientRow.NEW, OUTAGE));
        assertThat(json.path("available").asBoolean()).isFalse();
        assertThat(json.path("failedRequests").asLong()).isEqualTo(242);
        var outage = json.path("clients").path(0).path("outages").path(0);
        assertThat(outage.path("from").asText()).isEqualTo("2026-11-21T00:00:03.200Z");
        assertThat(outage.path("toSeconds").decimalValue()).isEqualByComparingTo("15.3");
        assertThat(json.path("watch").path("consistent").asBoolean()).isTrue();
    }

    @Test
    void failuresOfClientsWithoutRetriesDoNotDecide() {
        ProbeReport report = report(ClientRow.NO_RETRY_POST, OUTAGE);
        assertThat(report.failedRequests()).isZero();
        assertThat(report.available()).isTrue();
        assertThat(TextReport.render(report)).contains("no request failed").contains("no-retry-post*");
    }

    @Test
    void aWriteThatIsNotStoredIsAFindingAlthoughNoRequestFailed() {
        ProbeReport report = new ProbeReport(
                URI.create("https://10.0.0.1:6443"),
                Instant.EPOCH,
                Duration.ofSeconds(1),
                Duration.ofMillis(50),
                Duration.ofSeconds(5),
                List.of(),
                Optional.of(watch(OptionalLong.of(58))));
        assertThat(report.available()).isFalse();
        assertThat(TextReport.render(report)).contains("the last acknowledged write is 59, stored is 58");
    }

    private static ProbeReport report(ClientRow row, Outage outage) {
        ClientReport client = new ClientReport(
                row,
                600,
                outage.failures(),
                0,
                1,
                Optional.of(Duration.ofMillis(10)),
                Duration.ofMillis(12_100),
                new Latencies(Duration.ofMillis(5), Duration.ofMillis(9), Duration.ofMillis(12)),
                List.of(outage));
        return new ProbeReport(
                URI.create("https://10.0.0.1:6443"),
                Instant.parse("2026-11-21T00:00:00Z"),
                Duration.ofSeconds(30),
                Duration.ofMillis(50),
                Duration.ofSeconds(5),
                List.of(client),
                Optional.of(watch(OptionalLong.of(59))));
    }

    private static WatchReport watch(OptionalLong stored) {
        return new WatchReport(
                60,
                60,
                0,
                0,
                0,
                0,
                0,
                Duration.ofNanos(850_000),
                2,
                Duration.ofMillis(1500),
                OptionalLong.of(59),
                stored);
    }
}
