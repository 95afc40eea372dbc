package dev.ouroboros.bench;

import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
        description = {
            "Weighs the keeper of a sandbox that is up and idle: memory, processor, API requests.",
            "",
            "Resident memory is Rss of /proc/PID/smaps_rollup, pages of files included; Pss and the anonymous part stand beside"
                    + " it, and the most that was ever resident (VmHWM). Processor time is that of the keeper with its child"
                    + " processes, those that ended included, between two samples. The keeper counts its requests itself: it"
                    + " opens a watch for ten minutes, so a few of them are watches."
        },
        footerHeading = "%nExample:%n",
        footer = "  ./ouro up --name weigh && bench/run keeper --name weigh")
final class KeeperWeight implements Callable<Integer> {
    private static final String LOCK = StateLayout.path(StateLayout.KEEPER) + "/lock";
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

    @Option(names = "--samples", paramLabel = "N", defaultValue = "5", description = "default: ${DEFAULT-VALUE}")
    private int samples;

    private KeeperWeight() {}

    /**
     * One look.
     *
     * @param pid of the keeper that works, to see when another one took over
     * @param cpuSeconds of it and its children since they started
     * @param requests since it started
     */
    private record Weight(
            double atSeconds,
            long pid,
            ProcessMemory working,
            ProcessMemory children,
            ProcessMemory waiting,
            double cpuSeconds,
            double requests) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (seconds < 1 || samples < 1) {
            throw new CommandLine.ParameterException(spec.commandLine(), "--seconds, --samples: at least 1");
        }
        SandboxOuro ouro = new SandboxOuro(bench.checkout(), sandbox, new LocalProcesses());
        Path procfs = ouro.root().resolve("proc");
        long begun = System.nanoTime();
        List<Weight> weights = new ArrayList<>(List.of(weigh(ouro, procfs, begun)));
        for (int sample = 1; sample <= samples; sample++) {
            Duration due = Duration.ofSeconds(seconds).multipliedBy(sample).dividedBy(samples);
            Duration left = due.minusNanos(System.nanoTime() - begun);
            if (left.isPositive()) {
                Thread.sleep(left);
            }
            weights.add(weigh(ouro, procfs, begun));
            if (weights.getLast().pid() != weights.getFirst().pid()) {
                throw ProblemException.of(
                        ErrorCode.COMPONENT_FAILED,
                        "sandbox " + sandbox,
                        "another keeper took over meanwhile",
                        "one that works all the time",
                        "wait until the sandbox has come to rest, and measure again");
            }
        }
        print(weights);
        return 0;
    }

    private static Weight weigh(SandboxOuro ouro, Path procfs, long begun) throws IOException {
        double requests = requests(ouro);
        List<ProcessSample> all = ProcessSample.all(procfs);
        NodeDaemon keeper = NodeDaemon.of(all);
        return new Weight(
                (System.nanoTime() - begun) / 1e9,
                keeper.working().pid(),
                NodeDaemon.memory(procfs, List.of(keeper.working())),
                NodeDaemon.memory(procfs, keeper.children()),
                NodeDaemon.memory(
                        procfs, all.stream().filter(KeeperWeight::isWaiting).toList()),
                keeper.cpuSeconds(),
                requests);
    }

    /** It becomes the JVM when it gets the lock; until then its command line begins with flock's name. */
    private static boolean isWaiting(ProcessSample sample) {
        return sample.commandLine().contains("flock ") && sample.commandLine().contains(LOCK);
    }

    private void print(List<Weight> weights) {
        PrintWriter out = spec.commandLine().getOut();
        out.println("| seconds | resident (Rss) | Pss | anonymous | processor since the last line | requests since |");
        out.println("|--|--|--|--|--|--|");
        for (int index = 0; index < weights.size(); index++) {
            Weight now = weights.get(index);
            Weight before = weights.get(Math.max(0, index - 1));
            out.println(String.format(
                    Locale.ROOT,
                    "| %.0f | %.1f MiB | %.1f MiB | %.1f MiB | %s | %.0f |",
                    now.atSeconds(),
                    mebibytes(now.working().resident()),
                    mebibytes(now.working().proportional()),
                    mebibytes(now.working().anonymous()),
                    index == 0 ? "-" : processor(before, now),
                    now.requests() - before.requests()));
        }
        Weight first = weights.getFirst();
        Weight last = weights.getLast();
        double minutes = (last.atSeconds() - first.atSeconds()) / 60;
        out.println();
        out.println(String.format(
                Locale.ROOT,
                "Working: %s of a core, %.1f requests a minute; most ever resident %.1f MiB; child processes %.1f MiB (Pss %.1f)."
                        + " Waiting: %.1f MiB (Pss %.1f).",
                processor(first, last),
                (last.requests() - first.requests()) / minutes,
                mebibytes(last.working().peak()),
                mebibytes(last.children().resident()),
                mebibytes(last.children().proportional()),
                mebibytes(last.waiting().resident()),
                mebibytes(last.waiting().proportional())));
        out.flush();
    }

    private static String processor(Weight from, Weight to) {
        double share = (to.cpuSeconds() - from.cpuSeconds()) / (to.atSeconds() - from.atSeconds());
        return String.format(Locale.ROOT, "%.2f %%", share * 100);
    }

    private static double mebibytes(long kibibytes) {
        return kibibytes / KIBIBYTES_A_MEBIBYTE;
    }

    private static double requests(SandboxOuro ouro) {
        return ouro.requestsOfKeeper(ouro.sandbox());
    }
}
