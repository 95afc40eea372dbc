package dev.ouroboros.bench;

import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.probe.ClientKind;
import dev.ouroboros.probe.Probe;
import dev.ouroboros.probe.ProbeListener;
import dev.ouroboros.probe.ProbeOptions;
import dev.ouroboros.probe.report.ClientReport;
import dev.ouroboros.probe.report.ClientRow;
import dev.ouroboros.probe.report.ProbeReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Probes an API from the moment its kubeconfig exists, with a new connection every 50 ms as the baseline was measured. What
 * fails before the first answer is no failure: there is no API yet.
 */
final class StartProbe implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(50);

    private final Path kubeconfig;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicReference<Optional<ProbeReport>> report = new AtomicReference<>(Optional.empty());
    private final AtomicReference<Optional<RuntimeException>> failure = new AtomicReference<>(Optional.empty());
    private final Thread thread;

    private StartProbe(Path kubeconfig) {
        this.kubeconfig = kubeconfig;
        this.thread = Thread.ofVirtual().name("bench-probe").unstarted(this::run);
    }

    static StartProbe begin(Path kubeconfig) {
        StartProbe probe = new StartProbe(kubeconfig);
        probe.thread.start();
        return probe;
    }

    private void run() {
        try {
            while (!Files.exists(kubeconfig)) {
                if (stopped.await(LOOK.toNanos(), TimeUnit.NANOSECONDS)) {
                    return;
                }
            }
            ProbeOptions options = ProbeOptions.of(KubeconfigFile.read(kubeconfig, Optional.empty()))
                    .withClients(Set.of(ClientKind.NEW))
                    .withAwaitFirstAnswer(true);
            try (Probe probe = Probe.start(options, ProbeListener.NONE)) {
                stopped.await();
                report.set(Optional.of(probe.stop()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            failure.set(Optional.of(e));
        }
    }

    /** Ends the probe; no figures when there was no kubeconfig or never an answer. */
    Map<Metric, Double> end() throws InterruptedException {
        stopped.countDown();
        thread.join();
        if (failure.get().isPresent()) {
            throw failure.get().get();
        }
        return report.get().map(StartProbe::figures).orElse(Map.of());
    }

    static Map<Metric, Double> figures(ProbeReport report) {
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        Optional<ClientReport> client =
                report.client(ClientRow.NEW).filter(row -> row.firstAnswer().isPresent());
        client.ifPresent(row -> {
            figures.put(Metric.FAILED_REQUESTS, (double) row.failures());
            figures.put(
                    Metric.UNAVAILABLE,
                    row.outages().stream()
                            .mapToDouble(
                                    outage -> outage.lasted(report.lasted()).toNanos() / 1e9)
                            .sum());
        });
        return figures;
    }

    @Override
    public void close() {
        stopped.countDown();
    }
}
