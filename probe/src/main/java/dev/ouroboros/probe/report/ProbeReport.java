package dev.ouroboros.probe.report;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a probe found.
 *
 * @param startedAt the wall clock's time of offset zero; every other time is an offset on the monotonic clock
 * @param lasted until the last request was sent
 * @param clients one a row, in the order of {@link ClientRow}
 * @param watch empty when no client watched
 */
public record ProbeReport(
        URI server,
        Instant startedAt,
        Duration lasted,
        Duration interval,
        Duration timeout,
        List<ClientReport> clients,
        Optional<WatchReport> watch) {
    public ProbeReport {
        clients = List.copyOf(clients);
    }

    /** Failed requests in the rows that decide. */
    public long failedRequests() {
        return clients.stream()
                .filter(client -> client.row().decides())
                .mapToLong(ClientReport::failures)
                .sum();
    }

    /** Every client that decides was answered, none of its requests failed, and no acknowledged write was missed or lost. */
    public boolean available() {
        return clients.stream().filter(client -> client.row().decides()).allMatch(ClientReport::available)
                && watch.map(WatchReport::consistent).orElse(true);
    }

    public Optional<ClientReport> client(ClientRow row) {
        return clients.stream().filter(client -> client.row() == row).findFirst();
    }

    /** The earliest answer any client got. */
    public Optional<Duration> firstAnswer() {
        return clients.stream().flatMap(client -> client.firstAnswer().stream()).min(Duration::compareTo);
    }
}
