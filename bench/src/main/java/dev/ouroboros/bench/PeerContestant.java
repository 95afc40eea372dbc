package dev.ouroboros.bench;

import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/** Another tool behind a command of the user's, called as {@code bench/run --help} describes. */
final class PeerContestant implements Contestant {
    /** What a command exits with for a step it does not know: the convention of GNU test drivers for "skipped". */
    private static final int UNKNOWN_STEP = 77;

    private static final Duration LIMIT = Duration.ofMinutes(31);

    private final String shellCommand;
    private final Path directory;
    private final Map<String, String> environment;
    private final Stopwatch stopwatch;
    private final Processes processes;
    private final Disk disk;

    PeerContestant(
            String shellCommand,
            Path directory,
            Map<String, String> environment,
            Stopwatch stopwatch,
            Processes processes,
            Disk disk) {
        this.shellCommand = shellCommand;
        this.directory = directory;
        this.environment = Map.copyOf(environment);
        this.stopwatch = stopwatch;
        this.processes = processes;
        this.disk = disk;
    }

    @Override
    public String name() {
        return "peer";
    }

    @Override
    public Map<Metric, Double> run(BenchStep step, int run) throws InterruptedException {
        Path scratch = directory.resolve("peer-" + step.label() + "-" + run);
        disk.createDirectories(scratch, Disk.OWNER_ONLY_DIRECTORY);
        Path kubeconfig = scratch.resolve("kubeconfig");
        Path report = scratch.resolve("report.json");
        try (StartProbe probe = StartProbe.begin(kubeconfig)) {
            Stopwatch.Lap lap = stopwatch.run(command(step.label(), run, scratch));
            Map<Metric, Double> probed = probe.end();
            if (lap.result().exitCode() == UNKNOWN_STEP) {
                return Map.of();
            }
            lap.result().orThrow();
            return switch (step) {
                case VERSION -> Map.of(Metric.VERSION, lap.seconds());
                case RENDER -> Map.of(Metric.RENDER, lap.seconds(), Metric.RENDER_MEMORY, lap.peakMebibytes());
                case ARCHIVE -> Map.of(Metric.ARCHIVE_VERSION, lap.seconds());
                case START -> {
                    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
                    figures.putAll(probed);
                    figures.putAll(
                            StartReport.read(disk, report, "see bench/run --help for what the script must write"));
                    figures.put(Metric.START_MEMORY, lap.peakMebibytes());
                    yield figures;
                }
            };
        } finally {
            clean(run, scratch);
        }
    }

    private void clean(int run, Path scratch) {
        var cleaned = processes.run(command("clean", run, scratch));
        if (cleaned.exitCode() != UNKNOWN_STEP) {
            cleaned.orThrow();
        }
        disk.deleteTree(scratch);
    }

    private Command command(String step, int run, Path scratch) {
        Command command = Command.of("bash", "-c", shellCommand).withTimeout(LIMIT);
        for (Map.Entry<String, String> variable : environment.entrySet()) {
            command = command.withEnvironment(variable.getKey(), variable.getValue());
        }
        return command.withEnvironment("OURO_BENCH_STEP", step)
                .withEnvironment("OURO_BENCH_RUN", Integer.toString(run))
                .withEnvironment("OURO_BENCH_NODE", "bench-peer")
                .withEnvironment("OURO_BENCH_DIRECTORY", scratch.toString())
                .withEnvironment(
                        "OURO_BENCH_KUBECONFIG", scratch.resolve("kubeconfig").toString())
                .withEnvironment(
                        "OURO_BENCH_REPORT", scratch.resolve("report.json").toString());
    }
}
