package dev.ouroboros.sim;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code sim/run}. */
@Command(
        name = "sim/run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Runs the keeper on modelled machines that fail by chance. One seed is one run, the same each time.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:every rule held", "1:a rule was broken; the seed says which run shows it", "2:bad usage"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  sim/run --seeds 100000            a long run",
            "  sim/run --seed 4711 --trace       one run, with all that happened"
        })
final class Sim implements Callable<Integer> {
    private static final long EVERY = TimeUnit.SECONDS.toNanos(10);

    @Option(names = "--seeds", paramLabel = "N", defaultValue = "1000", description = "How many (${DEFAULT-VALUE}).")
    private long seeds;

    @Option(names = "--seed", paramLabel = "S", description = "The first; without --seeds the only one.")
    private Optional<Long> first = Optional.empty();

    @Option(
            names = "--machines",
            paramLabel = "SIZE",
            defaultValue = "any",
            description = "Of each cluster: one, several (three), or any: as the seed says (${DEFAULT-VALUE}).")
    private Run.Size size = Run.Size.ANY;

    @Option(names = "--workers", paramLabel = "W", description = "How many at once (as many as there are processors).")
    private int workers = Runtime.getRuntime().availableProcessors();

    @Option(names = "--trace", description = "Print what happened in each run; --seeds should be small.")
    private boolean trace;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "text or json.")
    private String output = "text";

    @Option(names = "--commit", hidden = true, defaultValue = "unknown")
    private String commit = "unknown";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    public static void main(String[] arguments) {
        silence();
        System.exit(new CommandLine(new Sim())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments));
    }

    /** Turns logging off: the trace says the same, in simulated time. */
    static void silence() {
        LogManager.getLogManager().reset();
        Logger.getLogger("").setLevel(Level.OFF);
    }

    @Override
    public Integer call() throws InterruptedException {
        if (!output.equals("text") && !output.equals("json")) {
            throw new CommandLine.ParameterException(spec.commandLine(), "-o: text or json, not " + output);
        }
        if (seeds < 1 || workers < 1) {
            throw new CommandLine.ParameterException(spec.commandLine(), "--seeds and --workers: at least 1");
        }
        boolean given = spec.commandLine().getParseResult().hasMatchedOption("--seeds");
        long count = first.isPresent() && !given ? 1 : seeds;
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        long began = System.nanoTime();
        AtomicLong said = new AtomicLong(began);
        Campaign campaign = new Campaign(
                seed -> {
                    Run.Outcome outcome = Run.of(seed, Distortion.NONE, size);
                    if (trace) {
                        show(out, outcome);
                    }
                    // At once: a long campaign may be ended before its report.
                    outcome.violation().ifPresent(what -> err.printf("seed %d: %s%n", seed, what));
                    err.flush();
                    return outcome;
                },
                workers);
        Campaign.Result result = campaign.of(first.orElse(0L), count, over -> {
            long now = System.nanoTime();
            long last = said.get();
            if (now - last > EVERY && said.compareAndSet(last, now)) {
                err.printf("%d of %d seeds, %.1f a second%n", over, count, over * 1e9 / (now - began));
                err.flush();
            }
        });
        if (output.equals("json")) {
            out.println(new String(JsonText.write(json(result)), StandardCharsets.UTF_8));
        } else {
            print(out, result);
        }
        out.flush();
        return result.violations().isEmpty() ? 0 : 1;
    }

    private static synchronized void show(PrintWriter out, Run.Outcome outcome) {
        outcome.lines().forEach(out::println);
        out.printf("seed %d: digest %016x%n", outcome.seed(), outcome.digest());
    }

    private void print(PrintWriter out, Campaign.Result result) {
        for (Run.Outcome violation : result.violations()) {
            out.printf("seed %d: %s%n", violation.seed(), violation.violation().orElse(""));
            if (result.violations().size() <= 3 && !trace) {
                violation.lines().forEach(line -> out.println("    " + line));
            }
        }
        result.counts().forEach((what, count) -> out.printf("%10d  %s%n", count, what));
        out.printf(
                "%d seeds, %d violations, %.0f simulated hours, %d events, %.1f s: %.1f seeds/s, %.1f simulated hours/s,"
                        + " %.1f seeds/s of CPU (%s)%n",
                result.seeds(),
                result.violations().size(),
                result.simulated().toMinutes() / 60.0,
                result.events(),
                result.took().toMillis() / 1000.0,
                result.seedsPerSecond(),
                result.simulatedHoursPerSecond(),
                result.seedsPerCpuSecond(),
                commit);
    }

    private Json json(Campaign.Result result) {
        Json.Fields covered = Json.object();
        for (Map.Entry<String, Long> count : result.counts().entrySet()) {
            covered = covered.with(count.getKey(), Json.number(count.getValue()));
        }
        return Json.object()
                .with("commit", Json.text(commit))
                .with("seeds", Json.number(result.seeds()))
                .with("simulatedSeconds", Json.number(result.simulated().toSeconds()))
                .with("events", Json.number(result.events()))
                .with("cpuMillis", Json.number(result.cpu().toMillis()))
                .with("tookMillis", Json.number(result.took().toMillis()))
                .with(
                        "violations",
                        Json.items(result.violations().stream()
                                .map(violation -> Json.object()
                                        .with("seed", Json.number(violation.seed()))
                                        .with("rule", Json.text(violation.rule().orElse("")))
                                        .with(
                                                "what",
                                                Json.text(violation.violation().orElse("")))
                                        .with("trace", Json.texts(violation.lines())))))
                .with("covered", covered);
    }
}
