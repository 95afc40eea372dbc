package dev.ouroboros.bench;

import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The checkout's {@code ./ouro}, in a sandbox of its own. */
final class OuroContestant implements Contestant {
    private static final Path SANDBOXES = Path.of("/var/lib/ouroboros/sandboxes");
    private static final Duration LIMIT = Duration.ofMinutes(31);

    private final Path checkout;
    private final Path directory;
    private final String sandbox;
    private final List<String> upArguments;
    private final Stopwatch stopwatch;
    private final Processes processes;
    private final Disk disk;
    private final PackedOuro archive;

    OuroContestant(
            Path checkout,
            Path directory,
            String sandbox,
            List<String> upArguments,
            Stopwatch stopwatch,
            Processes processes,
            Disk disk) {
        this.checkout = checkout;
        this.directory = directory;
        this.sandbox = sandbox;
        this.upArguments = List.copyOf(upArguments);
        this.stopwatch = stopwatch;
        this.processes = processes;
        this.disk = disk;
        this.archive = new PackedOuro(checkout, directory.resolve("archive"), stopwatch, processes, disk);
    }

    @Override
    public String name() {
        return "ouro";
    }

    @Override
    public Map<Metric, Double> run(BenchStep step, int run) throws InterruptedException {
        return switch (step) {
            case VERSION -> Map.of(Metric.VERSION, lap(ouro("--version")).seconds());
            case RENDER -> render(run);
            case ARCHIVE -> archive.measure();
            case START -> start();
        };
    }

    private Map<Metric, Double> render(int run) {
        Path assets = directory.resolve("assets-" + run);
        Stopwatch.Lap lap = lap(ouro(
                "render",
                "--asset-dir",
                assets.toString(),
                "--kubernetes-version",
                "v1.20.2",
                "--api-servers",
                "https://10.20.30.40:6443",
                "--etcd-servers",
                "https://10.20.30.40:2379"));
        disk.deleteTree(assets);
        return Map.of(Metric.RENDER, lap.seconds(), Metric.RENDER_MEMORY, lap.peakMebibytes());
    }

    private Map<Metric, Double> start() throws InterruptedException {
        down();
        Path home = SANDBOXES.resolve(sandbox);
        List<String> up = new ArrayList<>(List.of("up", "--name", sandbox));
        up.addAll(upArguments);
        try (StartProbe probe = StartProbe.begin(home.resolve("kubeconfig"))) {
            Stopwatch.Lap lap = lap(ouro(up.toArray(String[]::new)));
            Map<Metric, Double> figures = new EnumMap<>(Metric.class);
            figures.putAll(probe.end());
            figures.putAll(StartReport.read(
                    disk, home.resolve("logs/start-report.json"), "see the log of 'ouro start' beside it"));
            figures.put(Metric.START_MEMORY, lap.peakMebibytes());
            return figures;
        } finally {
            down();
        }
    }

    private void down() {
        processes.run(ouro("down", "--name", sandbox)).orThrow();
    }

    private Stopwatch.Lap lap(Command command) {
        Stopwatch.Lap lap = stopwatch.run(command);
        lap.result().orThrow();
        return lap;
    }

    private Command ouro(String... arguments) {
        List<String> command = new ArrayList<>(List.of(checkout.resolve("ouro").toString()));
        command.addAll(List.of(arguments));
        return Command.of(command).withTimeout(LIMIT);
    }
}
