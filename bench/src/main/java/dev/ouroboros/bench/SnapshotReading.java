package dev.ouroboros.bench;

import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** How fast snapshots are read, and with how much memory, beside etcd's own tool. */
@CommandLine.Command(
        name = "snapshot",
        sortOptions = false,
        description = {
            "Has a real etcd write snapshots, and reads them with ouro and with etcd's own tool, in turn.",
            "etcd's tool computes the hash of the buckets only; inspect also checks the SHA-256 and decodes."
        },
        footerHeading = "%nExample:%n",
        footer = "  bench/run snapshot --megabytes 100,2000")
final class SnapshotReading implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofMinutes(30);
    private static final double BYTES_A_MEGABYTE = 1e6;
    private static final String ETCD = "etcd's `snapshot status`";

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private Bench bench;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Option(
            names = "--megabytes",
            split = ",",
            defaultValue = "100",
            paramLabel = "N",
            description = "of values; default: ${DEFAULT-VALUE}")
    private List<Integer> megabytes = List.of();

    @Option(names = "--file", paramLabel = "FILE", description = "Read this snapshot, instead of having one written.")
    private Optional<Path> existing = Optional.empty();

    @Option(names = "--runs", defaultValue = "3", paramLabel = "N", description = "of each; default: ${DEFAULT-VALUE}")
    private int runs;

    @Option(names = "--etcd", paramLabel = "DIR", description = "With etcd and its tools (default: those of the path).")
    private Optional<Path> etcd = Optional.empty();

    private final LocalProcesses processes = new LocalProcesses();
    private final Disk disk = new LocalDisk();

    private SnapshotReading() {}

    @Override
    public Integer call() throws IOException {
        Path directory = Files.createTempDirectory("bench-snapshot");
        PrintWriter out = spec.commandLine().getOut();
        out.println("| file | what | time | of etcd's | speed | peak memory | of etcd's |\n|--|--|--|--|--|--|--|");
        try {
            if (existing.isPresent()) {
                measure(existing.get(), new Stopwatch(processes, disk, directory), out);
                return 0;
            }
            for (int size : megabytes) {
                Path file = directory.resolve(size + ".db");
                List<String> make = new ArrayList<>(List.of(
                        bench.checkout().resolve("bench/snapshot-file").toString(),
                        file.toString(),
                        Integer.toString(size),
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        System.getProperty("java.class.path")));
                etcd.ifPresent(place -> make.add(place.toString()));
                processes.run(Command.of(make).withTimeout(LIMIT)).orThrow();
                measure(file, new Stopwatch(processes, disk, directory), out);
                disk.delete(file);
            }
        } finally {
            disk.deleteTree(directory);
        }
        return 0;
    }

    private void measure(Path file, Stopwatch stopwatch, PrintWriter out) throws IOException {
        double size = Files.size(file) / BYTES_A_MEGABYTE;
        Map<String, List<Stopwatch.Lap>> laps = new LinkedHashMap<>();
        for (int run = 0; run < runs; run++) {
            commands(file).forEach((name, command) -> {
                Stopwatch.Lap lap = stopwatch.run(command.withTimeout(LIMIT));
                lap.result().orThrow();
                laps.computeIfAbsent(name, _ -> new ArrayList<>()).add(lap);
            });
        }
        Optional<Stopwatch.Lap> reference = Optional.ofNullable(laps.get(ETCD)).map(SnapshotReading::typical);
        laps.forEach((name, all) -> {
            Series seconds = seconds(all);
            double memory = typical(all).peakMebibytes();
            out.println(String.format(
                    Locale.ROOT,
                    "| %.0f MB | %s | %.2f s (%.2f to %.2f) | %s | %.0f MB/s | %.0f MiB | %s |",
                    size,
                    name,
                    seconds.median(),
                    seconds.lowest(),
                    seconds.highest(),
                    ratio(seconds.median(), reference.map(Stopwatch.Lap::seconds)),
                    size / seconds.median(),
                    memory,
                    ratio(memory, reference.map(Stopwatch.Lap::peakMebibytes))));
        });
        out.flush();
    }

    /** The median of the times, the highest of the peaks. */
    private static Stopwatch.Lap typical(List<Stopwatch.Lap> laps) {
        double peak = new Series(laps.stream().map(Stopwatch.Lap::peakMebibytes).toList()).highest();
        return new Stopwatch.Lap(laps.getFirst().result(), seconds(laps).median(), peak);
    }

    private static Series seconds(List<Stopwatch.Lap> laps) {
        return new Series(laps.stream().map(Stopwatch.Lap::seconds).toList());
    }

    private static String ratio(double value, Optional<Double> reference) {
        return reference
                .map(base -> String.format(Locale.ROOT, "%.2f", value / base))
                .orElse("");
    }

    private Map<String, Command> commands(Path file) {
        Map<String, Command> commands = new LinkedHashMap<>();
        String tool = etcd.map(place -> place.resolve("etcdutl"))
                .filter(Files::isExecutable)
                .or(() -> etcd.map(place -> place.resolve("etcdctl")))
                .map(Path::toString)
                .orElse("etcdctl");
        String ouro = bench.checkout().resolve("ouro").toString();
        commands.put(ETCD, silent(tool, "snapshot", "status", file.toString()));
        commands.put("`ouro snapshot inspect`", silent(ouro, "snapshot", "inspect", file.toString()));
        commands.put("`ouro snapshot extract`, everything", silent(ouro, "snapshot", "extract", file.toString()));
        return commands;
    }

    private static Command silent(String... arguments) {
        List<String> command = new ArrayList<>(List.of("bash", "-c", "exec \"$@\" >/dev/null", "bash"));
        command.addAll(List.of(arguments));
        return Command.of(command).withEnvironment("ETCDCTL_API", "3");
    }
}
