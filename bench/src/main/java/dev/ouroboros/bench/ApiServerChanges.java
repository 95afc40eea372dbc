package dev.ouroboros.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.node.process.LocalProcesses;
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
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** What a change of the control plane costs its clients. */
@CommandLine.Command(
        name = "change",
        sortOptions = false,
        description = {
            "Changes the API server of a sandbox of its own with kubectl, --runs times in a row, then restarts controller manager"
                    + " and scheduler as often.",
            "",
            "A change is another environment variable in the DaemonSet's template. All of ouro probe's clients ask every 50 ms"
                    + " from before kubectl is called until the new principal serves alone, which is when the time of the change"
                    + " ends, too. Without a leader: from the last renewal of the old one's Lease that was seen, which it renews"
                    + " every 2 s, until the new one acquired it."
        },
        footerHeading = "%nExample:%n",
        footer = "  bench/run --runs 5 change")
final class ApiServerChanges implements Callable<Integer> {
    private static final String API_SERVER = "daemonset/kube-apiserver";
    private static final Duration LIMIT = Duration.ofMinutes(6);
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final Set<String> SERVES_ALONE = Set.of("Soaking", "Done");

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private Bench bench;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    private final SeriesTable table = new SeriesTable();

    private ApiServerChanges() {}

    private interface Question {
        boolean holds();
    }

    @Override
    public Integer call() throws InterruptedException {
        SandboxOuro ouro = new SandboxOuro(bench.checkout(), bench.sandbox(), new LocalProcesses());
        ouro.down();
        try {
            ouro.up(bench.upArguments());
            for (int run = 1; run <= bench.runs(); run++) {
                spec.commandLine().getErr().println("change " + run + " of " + bench.runs());
                ouro.awaitAtRest();
                change(ouro, run);
            }
            for (int run = 1; run <= bench.runs(); run++) {
                restart(ouro, "kube-controller-manager");
                restart(ouro, "kube-scheduler");
            }
        } finally {
            ouro.down();
        }
        spec.commandLine().getOut().print(table.render());
        spec.commandLine().getOut().flush();
        return 0;
    }

    private void change(SandboxOuro ouro, int run) throws InterruptedException {
        String before = principal(ouro);
        ProbeOptions options = ProbeOptions.of(KubeconfigFile.read(ouro.kubeconfig(), Optional.empty()));
        try (Probe probe = Probe.start(options, ProbeListener.NONE)) {
            Instant begun = Instant.now();
            ouro.kubectl("set", "env", API_SERVER, "OURO_BENCH_RUN=" + run);
            await(
                    "the new principal serves alone",
                    () -> !principal(ouro).equals(before) && SERVES_ALONE.contains(state(ouro)));
            table.add("API server: time of a change (s)", seconds(Duration.between(begun, Instant.now())));
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
                        .mapToDouble(ApiServerChanges::seconds)
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
        spec.commandLine().getErr().println("restart of " + component);
        Lease before = Lease.of(ouro, component);
        ouro.kubectl("rollout", "restart", "deployment/" + component);
        Instant deadline = Instant.now().plus(LIMIT);
        Lease last = before;
        while (true) {
            Lease now = Lease.of(ouro, component);
            if (!now.holder().isEmpty() && !now.holder().equals(before.holder())) {
                table.add(
                        component + ": without a leader (s)",
                        seconds(Duration.between(last.renewed(), now.acquired())));
                ouro.kubectl("rollout", "status", "deployment/" + component, "--timeout=3m");
                return;
            }
            last = now.holder().isEmpty() ? last : now;
            requireBefore(deadline, "another " + component + " leads");
            Thread.sleep(LOOK);
        }
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

    private static void await(String what, Question question) throws InterruptedException {
        Instant deadline = Instant.now().plus(LIMIT);
        while (!question.holds()) {
            requireBefore(deadline, what);
            Thread.sleep(LOOK);
        }
    }

    private static void requireBefore(Instant deadline, String what) {
        if (Instant.now().isAfter(deadline)) {
            throw ProblemException.of(
                    ErrorCode.COMPONENT_FAILED, "the sandbox", "not seen in time: " + what, "", "ouro status");
        }
    }

    private static double seconds(Duration duration) {
        return Math.max(0, duration.toMillis() / 1000.0);
    }
}
