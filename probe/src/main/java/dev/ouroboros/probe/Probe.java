package dev.ouroboros.probe;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.probe.client.ApiRequest;
import dev.ouroboros.probe.client.FreshClient;
import dev.ouroboros.probe.client.KeepAliveClient;
import dev.ouroboros.probe.client.PooledClient;
import dev.ouroboros.probe.client.ProbeClient;
import dev.ouroboros.probe.report.ClientRow;
import dev.ouroboros.probe.report.ProbeReport;
import dev.ouroboros.probe.report.WatchReport;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Measures how available an API endpoint is to its clients. Runs from {@link #start} until {@link #stop}, which reports; {@link
 * #close} stops without asking for the report.
 */
public final class Probe implements AutoCloseable {
    private final ProbeOptions options;
    private final ProbeListener listener;
    private final Timeline timeline;
    private final Map<ClientRow, Recorder> recorders = new EnumMap<>(ClientRow.class);
    private final List<RequestSeries> series = new ArrayList<>();
    private final Optional<WatchRun> watchRun;
    private Optional<ProbeReport> report = Optional.empty();

    private record WatchRun(Writer writer, Watcher watcher, SharedJournal journal) {}

    private Probe(ProbeOptions options, ProbeListener listener, Timeline timeline) {
        this.options = options;
        this.listener = listener;
        this.timeline = timeline;
        Endpoint endpoint = options.endpoint();
        Duration timeout = options.timeout();
        if (options.clients().contains(ClientKind.NEW)) {
            add(ClientRow.NEW, new FreshClient(endpoint, timeout), ApiRequest.get(options.readyPath()));
        }
        if (options.clients().contains(ClientKind.POOLED)) {
            add(ClientRow.POOLED, pooled(), ApiRequest.get(options.pooledPath()));
        }
        this.watchRun = options.clients().contains(ClientKind.WATCH) ? Optional.of(watchRun()) : Optional.empty();
        if (options.clients().contains(ClientKind.NO_RETRY)) {
            ApiRequest get = ApiRequest.get(options.pooledPath());
            add(ClientRow.NO_RETRY_GET, new KeepAliveClient(endpoint, timeout), get);
            if (endpoint.authenticated()) {
                ApiRequest post = WatchedObject.dryRun(options.namespace());
                add(ClientRow.NO_RETRY_POST, new KeepAliveClient(endpoint, timeout), post);
            }
        }
    }

    /** Warms up, at most for a second, and starts to send requests. */
    public static Probe start(ProbeOptions options, ProbeListener listener) {
        warmUp(options);
        Probe probe = new Probe(options, listener, new Timeline(InstantSource.system(), System::nanoTime));
        probe.series.forEach(RequestSeries::start);
        probe.watchRun.ifPresent(run -> {
            run.watcher().start();
            run.writer().start();
        });
        return probe;
    }

    /**
     * The first handshake of a Java process loads a thousand classes and takes some hundred milliseconds: one request of each kind
     * is sent and not measured, whatever becomes of it.
     */
    private static void warmUp(ProbeOptions options) {
        Duration second = Duration.ofSeconds(1);
        Duration limit = options.timeout().compareTo(second) < 0 ? options.timeout() : second;
        Endpoint endpoint = options.endpoint();
        List<ProbeClient> clients = List.of(
                new FreshClient(endpoint, limit),
                new KeepAliveClient(endpoint, limit),
                new PooledClient(endpoint, limit, System::nanoTime));
        try (ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor()) {
            for (ProbeClient client : clients) {
                requests.execute(() -> {
                    try (client) {
                        client.call(ApiRequest.get(options.readyPath()));
                    }
                });
            }
        }
    }

    private PooledClient pooled() {
        return new PooledClient(options.endpoint(), options.timeout(), timeline.nanoTime());
    }

    private void add(ClientRow row, ProbeClient client, ApiRequest request) {
        series.add(new RequestSeries(client, request, options.interval(), timeline, recorder(row)));
    }

    private Recorder recorder(ClientRow row) {
        Recorder recorder = new Recorder(row, options.awaitFirstAnswer(), listener);
        recorders.put(row, recorder);
        return recorder;
    }

    private WatchRun watchRun() {
        WatchedObject object = new WatchedObject(options.namespace(), options.configMap());
        SharedJournal journal = new SharedJournal(timeline);
        Watcher watcher = new Watcher(pooled(), object, options, timeline, recorder(ClientRow.WATCH), journal);
        Recorder writes = recorder(ClientRow.WRITE);
        Writer writer = new Writer(pooled(), object, options.writeInterval(), timeline, writes, journal);
        return new WatchRun(writer, watcher, journal);
    }

    /**
     * Sends no more requests, waits for those under way (at most their timeout, and once more for the watch to catch up), removes
     * the watched object and reports. A second call returns the same report.
     */
    public synchronized ProbeReport stop() throws InterruptedException {
        if (report.isEmpty()) {
            report = Optional.of(finish());
        }
        return report.get();
    }

    private ProbeReport finish() throws InterruptedException {
        for (RequestSeries each : series) {
            each.stopSending();
        }
        if (watchRun.isPresent()) {
            watchRun.get().writer().stop();
        }
        Duration lasted = timeline.now();
        series.forEach(RequestSeries::finish);
        Optional<WatchReport> watch = watchRun.isPresent() ? Optional.of(finish(watchRun.get())) : Optional.empty();
        return new ProbeReport(
                options.endpoint().server(),
                timeline.startedAt(),
                lasted,
                options.interval(),
                options.timeout(),
                recorders.values().stream()
                        .map(recorder -> recorder.report(lasted))
                        .toList(),
                watch);
    }

    private WatchReport finish(WatchRun run) throws InterruptedException {
        if (!run.journal().awaitCaughtUp(options.timeout())) {
            listener.warning("the watch has not caught up with the last acknowledged write");
        }
        Duration end = timeline.now();
        run.watcher().stop();
        OptionalLong stored = run.writer().stored();
        run.writer()
                .removeObject()
                .ifPresent(reason -> listener.warning(
                        "ConfigMap " + options.namespace() + "/" + options.configMap() + " is left behind: " + reason));
        run.writer().close();
        return run.journal().report(stored, end);
    }

    @Override
    public void close() {
        try {
            stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
