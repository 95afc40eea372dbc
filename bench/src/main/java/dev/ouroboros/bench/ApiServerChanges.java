package dev.ouroboros.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.probe.Probe;
import dev.ouroboros.probe.ProbeListener;
import dev.ouroboros.probe.ProbeOptions;
import dev.ouroboros.probe.report.ClientReport;
import dev.ouroboros.probe.report.ClientRow;
import dev.ouroboros.probe.report.ProbeReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine;

/** What a change of the control plane costs its clients. */
@CommandLine.Command(
        name = "change",
        sortOptions = false,
        description = {
            "Changes the API server of a sandbox of its own with kubectl, --runs times in a row, then restarts controller manager"
                    + " and scheduler each time.",
            "",
            "A change is another environment variable in the DaemonSet's template. All of ouro probe's clients ask every 50 ms"
                    + " from before kubectl is called until the new principal serves alone, which is when the time of the change"
                    + " ends, too. Without a leader: from the last renewal of the old one's Lease that was seen, which it renews"
                    + " every 2 s, until the new one acquired it."
        },
        footerHeading = "%nExample:%n",
        footer = "  bench/run --runs 5 change")
final class ApiServerChanges extends SandboxBenchmark {
    private static final String API_SERVER = "daemonset/kube-apiserver";
    private static final Duration LIMIT = Duration.ofMinutes(6);
    private static final Set<String> SERVES_ALONE = Set.of("Soaking", "Done");

    private ApiServerChanges() {}

    @Override
    void measure(SandboxOuro ouro, int run) throws InterruptedException {
        change(ouro, run);
        restart(ouro, Component.CONTROLLER_MANAGER.id());
        restart(ouro, Component.SCHEDULER.id());
    }

    private void change(SandboxOuro ouro, int run) throws InterruptedException {
        String before = principal(ouro);
        ProbeOptions options = ProbeOptions.of(KubeconfigFile.read(ouro.kubeconfig(), Optional.empty()));
        try (Probe probe = Probe.start(options, ProbeListener.NONE)) {
            Instant begun = Instant.now();
            ouro.kubectl("set", "env", API_SERVER, "OURO_BENCH_RUN=" + run);
            Instant alone = await(
                    ouro,
                    "the new principal serves alone",
                    LIMIT,
                    () -> !principal(ouro).equals(before) && SERVES_ALONE.contains(state(ouro))
                            ? Optional.of(Instant.now())
                            : Optional.empty());
            table.add("API server: time of a change (s)", seconds(Duration.between(begun, alone)));
            note(probe.stop());
        }
    }

    private void note(ProbeReport report) {
        List<ClientReport> deciding = report.clients().stream()
                .filter(client -> client.row().decides())
                .toList();
        table.add(
                "API server: requests of new, pooled, watching and writing clients",
                deciding.stream().mapToDouble(ClientReport::requests).sum());
        table.add("API server: of them failed", (double) report.failedRequests());
        table.add(
                "API server: longest wait (s)",
                deciding.stream()
                        .map(ClientReport::longestWait)
                        .mapToDouble(SandboxBenchmark::seconds)
                        .max()
                        .orElseThrow());
        table.add(
                "API server: requests failed of clients that do not retry",
                report.clients().stream()
                        .filter(client ->
                                client.row() == ClientRow.NO_RETRY_GET || client.row() == ClientRow.NO_RETRY_POST)
                        .mapToDouble(ClientReport::failures)
                        .sum());
    }

    private void restart(SandboxOuro ouro, String component) throws InterruptedException {
        tell("restart of " + component);
        Lease before = Lease.of(ouro, component);
        AtomicReference<Lease> last = new AtomicReference<>(before);
        ouro.kubectl("rollout", "restart", "deployment/" + component);
        Lease after = await(ouro, "another " + component + " leads", LIMIT, () -> {
            Lease now = Lease.of(ouro, component);
            if (now.holder().isEmpty()) {
                return Optional.empty();
            }
            if (now.holder().equals(before.holder())) {
                last.set(now);
                return Optional.empty();
            }
            return Optional.of(now);
        });
        table.add(
                component + ": without a leader (s)",
                seconds(Duration.between(last.get().renewed(), after.acquired())));
        ouro.kubectl("rollout", "status", "deployment/" + component, "--timeout=3m");
    }

    /** Who leads. */
    private record Lease(String holder, Instant acquired, Instant renewed) {
        static Lease of(SandboxOuro ouro, String name) {
            JsonNode lease = ouro.get("lease", name).path("spec");
            return new Lease(
                    lease.path("holderIdentity").asText(),
                    Instant.parse(lease.path("acquireTime").asText()),
                    Instant.parse(lease.path("renewTime").asText()));
        }
    }

    private static String principal(SandboxOuro ouro) {
        return ouro.get("pods", "--selector=k8s-app=kube-apiserver")
                .at("/items/0/metadata/uid")
                .asText();
    }

    private static String state(SandboxOuro ouro) {
        return ouro.get(API_SERVER)
                .path("metadata")
                .path("annotations")
                .path("ouroboros.dev/change-state")
                .asText();
    }
}
