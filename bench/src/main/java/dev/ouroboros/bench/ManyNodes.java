package dev.ouroboros.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** What several nodes cost and what their clients see when one of them is lost. */
@CommandLine.Command(
        name = "nodes",
        sortOptions = false,
        description = {
            "Makes sandboxes of one, three and five nodes, --runs times in a row, and on the last one, three control-plane nodes and two"
                    + " workers: stops an API server (SIGSTOP), cuts the power of a control-plane node, and changes the API servers"
                    + " one after the other.",
            "",
            "New and pooled clients of ouro probe ask every 20 ms on a worker, as its own processes dial, with two seconds for an"
                    + " answer. Processor time and memory are those of keeper and agent with their children while nothing happens; a"
                    + " keeper counts its requests itself."
        },
        footerHeading = "%nExample:%n",
        footer = "  bench/run --runs 2 nodes")
final class ManyNodes implements Callable<Integer> {
    private static final String API_SERVER = "daemonset/kube-apiserver";
    private static final int CONTROL_PLANES = 3;
    private static final int WORKER = 4;
    private static final Duration LIMIT = Duration.ofMinutes(15);
    /** Longer than anybody waits for a server that is gone. */
    private static final Duration AFTERWARDS = Duration.ofSeconds(20);

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private Bench bench;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Option(
            names = "--idle",
            paramLabel = "SECONDS",
            defaultValue = "120",
            description = "how long to look at keeper and agent; default: ${DEFAULT-VALUE}")
    private int idle;

    private final SeriesTable table = new SeriesTable();

    private ManyNodes() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        SandboxOuro ouro = new SandboxOuro(bench.checkout(), bench.sandbox(), new LocalProcesses());
        ouro.down();
        try {
            for (int run = 1; run <= bench.runs(); run++) {
                tell("run " + run + " of " + bench.runs());
                up(ouro, 1, List.of());
                ouro.down();
                up(ouro, 3, List.of("--control-planes", "3"));
                ouro.down();
                up(ouro, 5, List.of("--control-planes", "3", "--workers", "2"));
                ouro.awaitAtRest();
                weigh(ouro);
                stopServer(ouro);
                loseNode(ouro);
                change(ouro, run);
                ouro.down();
            }
        } finally {
            ouro.down();
        }
        spec.commandLine().getOut().print(table.render());
        spec.commandLine().getOut().flush();
        return 0;
    }

    private void tell(String line) {
        spec.commandLine().getErr().println(line);
    }

    private void up(SandboxOuro ouro, int nodes, List<String> arguments) {
        tell("up with " + nodes);
        List<String> all = new ArrayList<>(bench.upArguments());
        all.addAll(arguments);
        long begun = System.nanoTime();
        ouro.up(all);
        table.add("up, nodes: " + nodes + " (s)", (System.nanoTime() - begun) / 1e9);
    }

    private void weigh(SandboxOuro ouro) throws IOException, InterruptedException {
        tell("keeper and agent, idle");
        Thread.sleep(Duration.ofMinutes(1));
        Weighing keeper = Weighing.begin(ouro, ouro.node(2));
        Weighing agent = Weighing.begin(ouro, ouro.node(WORKER));
        double requests = ouro.requestsOfKeeper(ouro.node(2));
        Thread.sleep(Duration.ofSeconds(idle));
        keeper.end("keeper", table);
        agent.end("agent", table);
        table.add(
                "keeper, requests an hour",
                (ouro.requestsOfKeeper(ouro.node(2)) - requests)
                        * Duration.ofHours(1).toSeconds()
                        / idle);
    }

    private record Weighing(Path procfs, double cpuSeconds, long begun) {
        static Weighing begin(SandboxOuro ouro, String node) throws IOException {
            Path procfs = ouro.root(node).resolve("proc");
            return new Weighing(procfs, NodeDaemon.of(ProcessSample.all(procfs)).cpuSeconds(), System.nanoTime());
        }

        void end(String name, SeriesTable table) throws IOException {
            NodeDaemon now = NodeDaemon.of(ProcessSample.all(procfs));
            ProcessMemory memory = NodeDaemon.memory(procfs, List.of(now.working()));
            double share = (now.cpuSeconds() - cpuSeconds) * 1e9 / (System.nanoTime() - begun);
            table.add(name + ", processor (% of a core)", share * 100);
            table.add(name + ", resident (MiB)", memory.resident() / 1024.0);
        }
    }

    private void stopServer(SandboxOuro ouro) throws InterruptedException {
        tell("an API server stands still");
        try (NodeProbe probe = ouro.probeOn(ouro.node(WORKER))) {
            signalServer(ouro, "STOP");
            Thread.sleep(AFTERWARDS);
            signalServer(ouro, "CONT");
            note("server stopped", probe.stop());
        }
        ouro.awaitAtRest();
    }

    private static void signalServer(SandboxOuro ouro, String signal) {
        ouro.runOn(ouro.node(2), "pkill", "-" + signal, "-f", "^kube-apiserver ");
    }

    private void loseNode(SandboxOuro ouro) throws InterruptedException {
        tell("a control-plane node loses its power");
        try (NodeProbe probe = ouro.probeOn(ouro.node(WORKER))) {
            ouro.powerOff(ouro.node(2));
            Thread.sleep(AFTERWARDS);
            note("node lost", probe.stop());
        }
        ouro.powerOn(ouro.node(2));
        ouro.awaitAtRest();
    }

    private void change(SandboxOuro ouro, int run) throws InterruptedException {
        tell("a change of three API servers");
        Set<String> before = servers(ouro);
        try (NodeProbe probe = ouro.probeOn(ouro.node(WORKER))) {
            long begun = System.nanoTime();
            ouro.kubectl("set", "env", API_SERVER, "OURO_BENCH_RUN=" + run);
            SandboxBenchmark.await(ouro, "each API server is another one", LIMIT, () -> {
                Set<String> now = servers(ouro);
                boolean all = now.size() == CONTROL_PLANES && now.stream().noneMatch(before::contains);
                return all ? Optional.of(now) : Optional.empty();
            });
            ouro.awaitAtRest();
            table.add("change of three, until at rest (s)", (System.nanoTime() - begun) / 1e9);
            note("change of three", probe.stop());
        }
    }

    private void note(String what, NodeProbe.Report report) {
        table.add(what + ", requests of new and pooled clients", (double) report.requests());
        table.add(what + ", failed", (double) report.failures());
        table.add(what + ", longest wait (s)", report.longestWait());
    }

    /** The pods of API servers that are ready, by their uids. */
    private static Set<String> servers(SandboxOuro ouro) {
        Set<String> uids = new HashSet<>();
        for (JsonNode pod : ouro.get("pods", "--selector=k8s-app=" + Component.API_SERVER.id())
                .path("items")) {
            for (JsonNode condition : pod.path("status").path("conditions")) {
                if (condition.path("type").asText().equals("Ready")
                        && condition.path("status").asText().equals("True")) {
                    uids.add(pod.path("metadata").path("uid").asText());
                }
            }
        }
        return uids;
    }
}
