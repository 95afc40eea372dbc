package dev.ouroboros.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.node.process.LocalProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** What clients see while etcd gets more and fewer members, and one is lost. */
@CommandLine.Command(
        name = "etcd",
        sortOptions = false,
        description = {
            "Makes a sandbox of three control-plane nodes with layers 1-4, --runs times in a row. On it a snapshot is tried (ouro snapshot"
                    + " drill), etcd gets three members (kubectl scale), the data of one are deleted and its process is killed, and it"
                    + " gets one again.",
            "",
            "New and pooled clients of ouro probe ask every 20 ms on a node, as its own processes dial, with two seconds for an answer."
        },
        footerHeading = "%nExample:%n",
        footer = "  bench/run --runs 3 etcd")
final class EtcdScaling implements Callable<Integer> {
    private static final String OBJECT = "controlplane/cluster";
    private static final Duration LIMIT = Duration.ofMinutes(25);

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private Bench bench;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    private final SeriesTable table = new SeriesTable();

    private EtcdScaling() {}

    @Override
    public Integer call() throws InterruptedException {
        SandboxOuro ouro = new SandboxOuro(bench.checkout(), bench.sandbox(), new LocalProcesses());
        ouro.down();
        try {
            for (int run = 1; run <= bench.runs(); run++) {
                tell("run " + run + " of " + bench.runs());
                List<String> arguments = new ArrayList<>(bench.upArguments());
                arguments.addAll(List.of("--layers", "1-4"));
                ouro.up(arguments);
                // Begun with three, etcd has three members.
                ouro.addControlPlane();
                ouro.addControlPlane();
                awaitSize(ouro, 1);
                drill(ouro);
                ouro.awaitAtRest();
                scale(ouro, 3);
                ouro.awaitAtRest();
                lose(ouro);
                ouro.awaitAtRest();
                scale(ouro, 1);
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

    private void drill(SandboxOuro ouro) {
        tell("a drill");
        String file = ouro.get(OBJECT)
                .path("status")
                .path("etcd")
                .path("backups")
                .path(0)
                .path("saved")
                .path("file")
                .asText();
        long begun = System.nanoTime();
        ouro.inNode("ouro", "snapshot", "drill", file);
        table.add("drill of a new cluster's snapshot (s)", since(begun));
    }

    private void scale(SandboxOuro ouro, int size) throws InterruptedException {
        String what = size + " members";
        tell(what);
        try (NodeProbe probe = ouro.probeOn(ouro.node(2))) {
            long begun = System.nanoTime();
            ouro.kubectl("scale", OBJECT, "--replicas=" + size);
            SandboxBenchmark.await(
                    ouro, what, LIMIT, () -> Optional.of(ouro.get(OBJECT)).filter(object -> voters(object) == size));
            table.add(what + ", until all vote and no other does (s)", since(begun));
            awaitSize(ouro, size);
            table.add(what + ", until API servers know it (s)", since(begun));
            note(what, probe.stop());
        }
    }

    private void lose(SandboxOuro ouro) throws InterruptedException {
        tell("the data of a member are lost");
        ouro.kubectl("patch", OBJECT, "--type=merge", "--patch={\"spec\":{\"etcd\":{\"replaceAfter\":\"1m\"}}}");
        // One that joined takes its data anew, with the ID that it had, where another one has come to lead meanwhile.
        String node = ouro.node(1);
        String before = member(ouro.get(OBJECT), node);
        try (NodeProbe probe = ouro.probeOn(ouro.node(3))) {
            long begun = System.nanoTime();
            ouro.runOn(node, "sh", "-c", "rm -r /var/lib/etcd/member && kill -KILL $(pidof etcd)");
            SandboxBenchmark.await(
                    ouro,
                    "another member in its place",
                    LIMIT,
                    () -> Optional.of(ouro.get(OBJECT))
                            .filter(object -> voters(object) == 3
                                    && !member(object, node).isEmpty()
                                    && !member(object, node).equals(before)));
            table.add("a member's data lost, until replaced; replaceAfter is 60 s (s)", since(begun));
            awaitSize(ouro, 3);
            note("a member's data lost", probe.stop());
        }
    }

    private void note(String what, NodeProbe.Report report) {
        table.add(what + ", requests of new and pooled clients", (double) report.requests());
        table.add(what + ", failed", (double) report.failures());
        table.add(what + ", longest wait (s)", report.longestWait());
    }

    private static double since(long begun) {
        return (System.nanoTime() - begun) / 1e9;
    }

    private static void awaitSize(SandboxOuro ouro, int size) throws InterruptedException {
        SandboxBenchmark.await(
                ouro,
                size + " members, and Ready",
                LIMIT,
                () -> Optional.of(ouro.get(OBJECT)).filter(object -> voters(object) == size && isReady(object)));
    }

    private static int voters(JsonNode object) {
        return object.path("status").path("etcd").path("size").asInt();
    }

    /** Of the spec as it is now. */
    private static boolean isReady(JsonNode object) {
        boolean isCurrent = object.path("status").path("observedGeneration").asLong()
                == object.path("metadata").path("generation").asLong();
        for (JsonNode condition : object.path("status").path("conditions")) {
            if (condition.path("type").asText().equals("Ready")) {
                return isCurrent && condition.path("status").asText().equals("True");
            }
        }
        return false;
    }

    /** ID of the member of a node; empty text when it has none that is told. */
    private static String member(JsonNode object, String node) {
        for (JsonNode member : object.path("status").path("etcd").path("members")) {
            if (member.path("name").asText().equals(node)) {
                return member.path("id").asText();
            }
        }
        return "";
    }
}
