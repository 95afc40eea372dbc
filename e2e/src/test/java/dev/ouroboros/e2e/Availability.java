package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.probe.Probe;
import dev.ouroboros.probe.ProbeListener;
import dev.ouroboros.probe.ProbeOptions;
import dev.ouroboros.probe.report.ProbeReport;
import dev.ouroboros.probe.report.TextReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Probes an API endpoint with every kind of client from the moment its kubeconfig exists. */
final class Availability implements AutoCloseable {
    private static final Duration KUBECONFIG_TIMEOUT = Duration.ofMinutes(15);

    /** What is promised of slow machines too: a first API server that takes a cluster's manifests kept a new connection waiting for 6.8 s on a busy one. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /**
     * While a cluster begins: at every 50 ms the three clients that shake hands anew for each request, sixty times a second, kept two slow processors so busy
     * that 89 of 2,241 requests had no answer within ten seconds.
     */
    private static final Duration WHILE_IT_BEGINS = Duration.ofMillis(200);

    /** On such a machine an answer took 9.99 s even so. Who is refused or cut off fails whatever this is. */
    private static final Duration PATIENCE_WHILE_IT_BEGINS = Duration.ofSeconds(20);

    private final CompletableFuture<Probe> probe;

    private Availability(CompletableFuture<Probe> probe) {
        this.probe = probe;
    }

    /** Waits in the background for the kubeconfig, then for the first answer; from then on every failure counts. */
    static Availability from(Path kubeconfig) {
        CompletableFuture<Probe> probe = new CompletableFuture<>();
        Thread.ofVirtual().name("await-kubeconfig").start(() -> {
            try {
                long deadline = System.nanoTime() + KUBECONFIG_TIMEOUT.toNanos();
                while (!Files.exists(kubeconfig)) {
                    if (System.nanoTime() > deadline) {
                        throw new IllegalStateException(kubeconfig + " never appeared");
                    }
                    Thread.sleep(Duration.ofMillis(20));
                }
                ProbeOptions options = ProbeOptions.of(KubeconfigFile.read(kubeconfig, Optional.empty()))
                        .withTimeout(PATIENCE_WHILE_IT_BEGINS)
                        .withInterval(WHILE_IT_BEGINS)
                        .withAwaitFirstAnswer(true);
                probe.complete(Probe.start(options, ProbeListener.NONE));
            } catch (InterruptedException | RuntimeException e) {
                probe.completeExceptionally(e);
            }
        });
        return new Availability(probe);
    }

    /** Begins at once on an API that answers; every failure counts. */
    static Availability of(Path kubeconfig) {
        ProbeOptions options = ProbeOptions.of(KubeconfigFile.read(kubeconfig, Optional.empty()));
        return new Availability(CompletableFuture.completedFuture(Probe.start(options, ProbeListener.NONE)));
    }

    /** Clients that wait ten seconds and ask twice a second; what fails before the first answer of each does not count. */
    static Availability toPatientClients(Path kubeconfig) {
        ProbeOptions options = ProbeOptions.of(KubeconfigFile.read(kubeconfig, Optional.empty()))
                .withTimeout(PATIENCE)
                .withInterval(Duration.ofMillis(500))
                .withAwaitFirstAnswer(true);
        return new Availability(CompletableFuture.completedFuture(Probe.start(options, ProbeListener.NONE)));
    }

    /** Stops and requires that no request failed. */
    ProbeReport requireNoFailedRequest() throws ExecutionException, InterruptedException {
        ProbeReport report = report();
        assertThat(report.available()).as(TextReport.render(report)).isTrue();
        return report;
    }

    /** Stops and says how many requests failed. */
    ProbeReport report() throws ExecutionException, InterruptedException {
        ProbeReport report = probe.get().stop();
        System.err.println(TextReport.render(report));
        return report;
    }

    @Override
    public void close() {
        if (probe.isDone() && !probe.isCompletedExceptionally()) {
            probe.join().close();
        }
    }
}
