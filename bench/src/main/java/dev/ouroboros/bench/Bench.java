package dev.ouroboros.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The benchmark's command line: runs the contestants in turn and prints one table. */
@Command(
        name = "bench/run",
        subcommands = {
            KeeperWeight.class,
            DnsWeight.class,
            PowerCuts.class,
            ApiServerChanges.class,
            SlowNodes.class,
            ManyNodes.class,
            SnapshotReading.class,
            Recoveries.class,
            EtcdScaling.class
        },
        sortOptions = false,
        description = {
            "Measures ./ouro beside the figures of bench/baseline.json, and beside another tool.",
            "",
            "Each run does the steps version, render, archive and start, first with ouro, then with the peer. archive packs what"
                    + " runs without Java. start needs root and makes a sandbox, which is removed again."
        },
        footerHeading = "%nThe peer:%n",
        footer = {
            "CMD is run by bash for each step, and for 'clean' after each step, with these variables:",
            "  OURO_BENCH_STEP         version, render, archive, start or clean; exit 77 for a step that the tool does not have",
            "  OURO_BENCH_RUN          number of the run, from 1",
            "  OURO_BENCH_NODE         a name for the node that start makes and clean removes",
            "  OURO_BENCH_DIRECTORY    an empty directory for the step; it is removed after clean",
            "  OURO_BENCH_OURO         this checkout's ouro: 'up --no-start --name $OURO_BENCH_NODE' makes a node like ouro's own",
            "  OURO_BENCH_BINARIES, OURO_BENCH_KUBERNETES_VERSION   as given here, when given",
            "  OURO_BENCH_KUBECONFIG   start writes a kubeconfig here as early as it can: from then on the API is probed",
            "  OURO_BENCH_REPORT       start writes its times here, as 'ouro start --report' does: {\"events\": [{\"event\":"
                    + " \"FirstAnswer\", \"elapsedSeconds\": 1.5}, ...]} with FirstAnswer, Accepted (it returned) and"
                    + " ServesAlone",
            "Wall time and memory of version and render are measured around CMD. A ratio is printed only where both tools were"
                    + " measured in this run.",
            "",
            "Example:",
            "  bench/run --runs 5 --binaries ./kubernetes/bin --peer ./bootkube-step"
        })
final class Bench implements Callable<Integer> {
    private static final int EXIT_DONE = 0;
    private static final int EXIT_FAILED = 1;

    enum Output {
        MARKDOWN,
        JSON
    }

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Option(names = "--checkout", hidden = true, required = true)
    private Path checkout = Path.of("");

    @Option(names = "--runs", paramLabel = "N", defaultValue = "3", description = "default: ${DEFAULT-VALUE}")
    private int runs;

    @Option(
            names = "--steps",
            split = ",",
            paramLabel = "STEP",
            description = "version, render, archive, start; default: all of them")
    private List<BenchStep> steps = List.of();

    @Option(names = "--binaries", paramLabel = "DIR", description = "given to 'ouro up'")
    private Optional<Path> binaries = Optional.empty();

    @Option(names = "--kubernetes-version", paramLabel = "V", description = "given to 'ouro up'")
    private Optional<String> kubernetesVersion = Optional.empty();

    @Option(names = "--name", defaultValue = "bench", description = "of the sandbox; default: ${DEFAULT-VALUE}")
    private String sandbox = "bench";

    @Option(names = "--peer", paramLabel = "CMD", description = "another tool, see below")
    private Optional<String> peer = Optional.empty();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "MARKDOWN",
            description = "markdown or json; default: markdown")
    private Output output = Output.MARKDOWN;

    private Bench() {}

    Path checkout() {
        return checkout;
    }

    int runs() {
        return runs;
    }

    String sandbox() {
        return sandbox;
    }

    public static void main(String[] arguments) {
        CommandSpec command = CommandSpec.forAnnotatedObject(new Bench());
        command.addOption(CommandLine.Model.OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("show this")
                .build());
        CommandLine commandLine = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setExecutionExceptionHandler((failure, line, _) -> {
            line.getErr().println("error: " + failure.getMessage());
            return EXIT_FAILED;
        });
        System.exit(commandLine.execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (runs < 1) {
            throw new CommandLine.ParameterException(spec.commandLine(), "--runs: at least 1");
        }
        LocalDisk disk = new LocalDisk();
        Path directory = Files.createTempDirectory("ouro-bench-");
        try {
            BenchResult result = measure(directory, disk);
            PrintWriter out = spec.commandLine().getOut();
            out.print(
                    switch (output) {
                        case MARKDOWN -> MarkdownTable.render(result);
                        case JSON -> JsonResult.render(result);
                    });
            out.flush();
            return result.complete() ? EXIT_DONE : EXIT_FAILED;
        } finally {
            disk.deleteTree(directory);
        }
    }

    private BenchResult measure(Path directory, LocalDisk disk) throws InterruptedException {
        LocalProcesses processes = new LocalProcesses();
        Stopwatch stopwatch = new Stopwatch(processes, disk, directory);
        Map<Contestant, Measurements> contestants = new LinkedHashMap<>();
        Measurements ours = new Measurements();
        contestants.put(
                new OuroContestant(checkout, directory, sandbox, upArguments(), stopwatch, processes, disk), ours);
        Optional<Measurements> theirs = peer.map(_ -> new Measurements());
        peer.ifPresent(command -> contestants.put(
                new PeerContestant(command, directory, peerEnvironment(), stopwatch, processes, disk),
                theirs.orElseThrow()));
        EnumSet<BenchStep> chosen = steps.isEmpty() ? EnumSet.allOf(BenchStep.class) : EnumSet.copyOf(steps);
        for (int run = 1; run <= runs; run++) {
            for (BenchStep step : chosen) {
                for (Map.Entry<Contestant, Measurements> entry : contestants.entrySet()) {
                    measure(entry.getKey(), entry.getValue(), step, run);
                }
            }
        }
        return new BenchResult(runs, ours, theirs, baseline(disk));
    }

    /** A failed step is part of the result: the other figures are still worth having. */
    private void measure(Contestant contestant, Measurements measurements, BenchStep step, int run)
            throws InterruptedException {
        PrintWriter err = spec.commandLine().getErr();
        err.println("run " + run + " of " + runs + ": " + contestant.name() + " " + step.label());
        err.flush();
        try {
            measurements.add(contestant.run(step, run));
        } catch (ProblemException e) {
            measurements.addProblem("run " + run + ", " + step.label() + ": " + e.getMessage());
        }
    }

    private Baseline baseline(LocalDisk disk) {
        Path file = checkout.resolve("bench/baseline.json");
        try {
            return Baseline.parse(disk.readText(file)
                    .orElseThrow(() -> ProblemException.of(
                            ErrorCode.NOT_FOUND,
                            file.toString(),
                            "is missing",
                            "",
                            "run bench/run first, and give --out its directory")));
        } catch (JsonProcessingException e) {
            throw ProblemException.of(
                    ErrorCode.INVALID_CONFIG,
                    file.toString(),
                    "is not JSON: " + e.getMessage(),
                    "",
                    "remove it and run bench/run again");
        }
    }

    /** What 'ouro up' is given besides the sandbox's name. */
    List<String> upArguments() {
        List<String> arguments = new ArrayList<>();
        binaries.ifPresent(path -> arguments.addAll(List.of("--binaries", path.toString())));
        kubernetesVersion.ifPresent(version -> arguments.addAll(List.of("--kubernetes-version", version)));
        return arguments;
    }

    private Map<String, String> peerEnvironment() {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put(
                "OURO_BENCH_OURO", checkout.resolve("ouro").toAbsolutePath().toString());
        binaries.ifPresent(path ->
                environment.put("OURO_BENCH_BINARIES", path.toAbsolutePath().toString()));
        kubernetesVersion.ifPresent(version -> environment.put("OURO_BENCH_KUBERNETES_VERSION", version));
        return environment;
    }
}
