package dev.ouroboros.bench;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** How long it takes from a snapshot file to a serving API server, and to a cluster that keeps itself. */
@CommandLine.Command(
        name = "recovery",
        sortOptions = false,
        description = {
            "Destroys a sandbox of its own and brings it back from a snapshot and its key, --runs times in a row.",
            "",
            "Times are since 'ouro up --snapshot' was called, as it and 'ouro start' say them."
        },
        footerHeading = "%nExample:%n",
        footer = "  bench/run --runs 3 recovery")
final class Recoveries implements Callable<Integer> {
    private static final Path SANDBOXES = Path.of("/var/lib/ouroboros/sandboxes");
    /** In the node; /var is on its own disk. */
    private static final String SAVED = "/var/lib/ouroboros/saved.db";

    private static final String KEYS = "/var/lib/ouroboros/assets/tls/encryption-config.yaml";
    private static final Pattern STEP = Pattern.compile("(?m)^ *([0-9.]+)s  (getting binaries|starting the cluster)$");

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private Bench bench;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    private final SeriesTable table = new SeriesTable();

    private Recoveries() {}

    @Override
    public Integer call() throws IOException {
        SandboxOuro ouro = new SandboxOuro(bench.checkout(), bench.sandbox(), new LocalProcesses());
        Path left = Files.createTempDirectory("ouro-bench-recovery-");
        ouro.down();
        try {
            ouro.up(bench.upArguments());
            for (int run = 1; run <= bench.runs(); run++) {
                spec.commandLine().getErr().println("recovery " + run + " of " + bench.runs());
                recover(ouro, left);
            }
        } finally {
            ouro.down();
            for (String name : List.of("saved.db", "keys.yaml")) {
                Files.deleteIfExists(left.resolve(name));
            }
            Files.delete(left);
        }
        spec.commandLine().getOut().print(table.render());
        spec.commandLine().getOut().flush();
        return 0;
    }

    private void recover(SandboxOuro ouro, Path left) {
        save(ouro, left);
        ouro.down();
        List<String> arguments = new ArrayList<>(List.of(
                "--snapshot",
                left.resolve("saved.db").toString(),
                "--encryption-config",
                left.resolve("keys.yaml").toString()));
        arguments.addAll(bench.upArguments());
        Instant begun = Instant.now();
        String said = ouro.upSaying(arguments);
        double all = Duration.between(begun, Instant.now()).toMillis() / 1000.0;
        double snapshotRead = secondsAt(said, "getting binaries");
        double startBegan = secondsAt(said, "starting the cluster");
        Map<Metric, Double> start = StartReport.read(
                new LocalDisk(),
                SANDBOXES.resolve(ouro.sandbox()).resolve("logs/start-report.json"),
                "see the log of 'ouro start' beside it");
        table.add("snapshot read, assets made (s)", snapshotRead);
        table.add("machine, images, etcd restored and healthy (s)", startBegan);
        table.add("API server answers (s)", startBegan + start.getOrDefault(Metric.FIRST_ANSWER, Double.NaN));
        table.add("serves alone (s)", startBegan + start.getOrDefault(Metric.SERVES_ALONE, Double.NaN));
        table.add("kept, 'ouro up' returns (s)", all);
    }

    private static void save(SandboxOuro ouro, Path left) {
        ouro.inNode(
                "etcdctl",
                "--endpoints=https://127.0.0.1:" + Component.ETCD.port(),
                "--cacert=/etc/kubernetes/etcd/server-ca.crt",
                "--cert=/etc/kubernetes/etcd/server.crt",
                "--key=/etc/kubernetes/etcd/server.key",
                "snapshot",
                "save",
                SAVED);
        Path root = Path.of("/proc", ouro.nodes().path(0).path("pid").asText(), "root");
        try {
            Files.deleteIfExists(left.resolve("saved.db"));
            Files.copy(root.resolve(SAVED.substring(1)), left.resolve("saved.db"));
            // A recovered machine has it in the API server's Secret only: the first one's stays right.
            if (Files.exists(root.resolve(KEYS.substring(1))) && !Files.exists(left.resolve("keys.yaml"))) {
                Files.copy(root.resolve(KEYS.substring(1)), left.resolve("keys.yaml"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("taking snapshot and key out of the node", e);
        }
    }

    /** Seconds after its beginning when {@code up} began a step. */
    static double secondsAt(String said, String step) {
        Matcher matcher = STEP.matcher(said);
        while (matcher.find()) {
            if (matcher.group(2).equals(step)) {
                return Double.parseDouble(matcher.group(1));
            }
        }
        throw ProblemException.of(
                ErrorCode.INTERNAL,
                "ouro up",
                "did not say when it began " + step,
                "",
                "run the benchmark again; if it comes back, report it with what 'ouro up' printed");
    }
}
