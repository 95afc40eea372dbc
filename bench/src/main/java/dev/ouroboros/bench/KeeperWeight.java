package dev.ouroboros.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** What the keeper of an idle sandbox costs: memory, processor, requests. */
@CommandLine.Command(
        name = "keeper",
        sortOptions = false,
        description = "Weighs the keeper of a sandbox that is up and idle: memory, processor, API requests.",
        footerHeading = "%nExample:%n",
        footer = "  ./ouro up --name weigh && bench/run keeper --name weigh")
final class KeeperWeight implements Callable<Integer> {
    private static final Duration BETWEEN_SAMPLES = Duration.ofSeconds(5);
    private static final String WORKING = "dev.ouroboros.keeper.KeeperMain";
    private static final String LOCK = "/var/lib/ouroboros/keeper/lock";
    private static final double TICKS_A_SECOND = 100;
    private static final double KIBIBYTES_A_MEBIBYTE = 1024;

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private Bench bench;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Option(names = "--name", required = true, paramLabel = "SANDBOX", description = "of the sandbox")
    private String sandbox = "";

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "300",
            description = "how long to look; default: ${DEFAULT-VALUE}")
    private int seconds;

    private final LocalProcesses processes = new LocalProcesses();

    private KeeperWeight() {}

    /** Resident memory and processor time of the keeper and what it started, and of the copy that waits. */
    private record Weight(
            double workingMebibytes, double childrenMebibytes, double waitingMebibytes, double cpuSeconds) {
        static Weight of(List<ProcessSample> all) {
            ProcessSample working = all.stream()
                    .filter(sample -> sample.commandLine().contains(WORKING))
                    .filter(sample -> !isWaiting(sample))
                    .findFirst()
                    .orElseThrow(() -> ProblemException.of(
                            ErrorCode.NOT_FOUND, "the node", "has no keeper that works", "", "kubectl logs"));
            List<ProcessSample> children = all.stream()
                    .filter(sample -> sample.parent() == working.pid())
                    .toList();
            long ticks = working.cpuTicks()
                    + children.stream().mapToLong(ProcessSample::cpuTicks).sum();
            return new Weight(
                    working.residentKibibytes() / KIBIBYTES_A_MEBIBYTE,
                    resident(children),
                    resident(all.stream().filter(Weight::isWaiting).toList()),
                    ticks / TICKS_A_SECOND);
        }

        private static double resident(List<ProcessSample> samples) {
            return samples.stream().mapToLong(ProcessSample::residentKibibytes).sum() / KIBIBYTES_A_MEBIBYTE;
        }

        /** It becomes the JVM when it gets the lock; until then its command line begins with flock's name. */
        private static boolean isWaiting(ProcessSample sample) {
            return sample.commandLine().contains("flock ")
                    && sample.commandLine().contains(LOCK);
        }
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path procfs = Path.of("/proc", pidOfNode(), "root/proc");
        Weight first = Weight.of(ProcessSample.all(procfs));
        double requestsBefore = requests();
        Weight last = first;
        double most = first.workingMebibytes();
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < Duration.ofSeconds(seconds).toNanos()) {
            Thread.sleep(BETWEEN_SAMPLES);
            last = Weight.of(ProcessSample.all(procfs));
            most = Math.max(most, last.workingMebibytes());
        }
        double elapsed = (System.nanoTime() - begun) / 1e9;
        double requestsAMinute = (requests() - requestsBefore) / elapsed * 60;
        PrintWriter out = spec.commandLine().getOut();
        out.println("| keeper, idle for " + Math.round(elapsed) + " s | |");
        out.println("|--|--|");
        row("working, resident memory at the end", last.workingMebibytes(), "MiB");
        row("working, most of it", most, "MiB");
        row("its child processes", last.childrenMebibytes(), "MiB");
        row("waiting copy", last.waitingMebibytes(), "MiB");
        row("processor", (last.cpuSeconds() - first.cpuSeconds()) / elapsed * 100, "% of a core");
        row("API requests", requestsAMinute, "a minute");
        out.flush();
        return 0;
    }

    private void row(String name, double value, String unit) {
        spec.commandLine().getOut().println(String.format(Locale.ROOT, "| %s | %.2f %s |", name, value, unit));
    }

    private String pidOfNode() throws IOException {
        String nodes = ouro("nodes", "--name", sandbox, "-o", "json");
        String pid = new ObjectMapper().readTree(nodes).path(0).path("pid").asText();
        if (pid.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND, "sandbox " + sandbox, "does not run", "", "ouro up --name " + sandbox);
        }
        return pid;
    }

    /** The keeper counts them itself: the API server's metrics do not tell users apart. */
    private double requests() {
        String metrics =
                ouro("exec", "--name", sandbox, sandbox, "--", "curl", "-sS", "http://127.0.0.1:26445/metrics");
        return metrics.lines()
                .filter(line -> line.startsWith("ouroboros_keeper_api_requests_total"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private String ouro(String... arguments) {
        return processes
                .run(Command.of(arguments)
                        .behind(List.of(bench.checkout().resolve("ouro").toString())))
                .orThrow();
    }
}
