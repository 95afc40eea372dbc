package dev.ouroboros.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.probe.Probe;
import dev.ouroboros.probe.ProbeListener;
import dev.ouroboros.probe.ProbeOptions;
import dev.ouroboros.probe.report.ClientReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** What patient clients see of a node that is short of processor time, and of a keeper that is killed or stands still there. */
@CommandLine.Command(
        name = "slow",
        sortOptions = false,
        description = {
            "Gives the node of a sandbox of its own little processor time, then, --runs times in a row: cuts its power; changes its API"
                    + " server; does each again with a keeper that stands still for a minute in the middle; and changes it with a"
                    + " keeper that is killed.",
            "",
            "All of ouro probe's clients ask every 500 ms, wait ten seconds for an answer, and are counted from each one's first"
                    + " answer until the node is at rest. A keeper is stopped (SIGSTOP) or killed at the first answer after a power cut,"
                    + " and when a change begins to lead clients to the understudy.",
            "",
            "With --ouro another checkout's ouro makes the sandbox, changes it and cuts its power: for before and after."
        },
        footerHeading = "%nExample:%n",
        footer = "  bench/run --runs 2 slow --ouro ../before")
final class SlowNodes extends SandboxBenchmark {
    private static final String API_SERVER = "daemonset/kube-apiserver";
    /** Microseconds, the kernel's default. */
    private static final long PERIOD = 100_000;

    /** States of a change in which the understudy has the clients; the first may be over before anybody looks. */
    private static final Set<String> LED_AWAY = Set.of("Switching", "Replacing");

    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final Duration STANDSTILL = Duration.ofMinutes(1);

    @Option(names = "--cpus", paramLabel = "N", defaultValue = "0.5", description = "default: ${DEFAULT-VALUE}")
    private String cpus = "";

    @Option(names = "--ouro", paramLabel = "DIR", description = "a checkout of ouro to measure; default: this one")
    private Optional<Path> other = Optional.empty();

    private int changes;

    private SlowNodes() {}

    @Override
    Path measured(Path checkout) {
        return other.map(Path::toAbsolutePath).orElse(checkout);
    }

    /** What happens to the keeper in the middle. */
    private enum Keeper {
        GOES_ON(""),
        IS_KILLED(", keeper killed"),
        STANDS_STILL(", keeper stopped for 60 s");

        private final String told;

        Keeper(String told) {
            this.told = told;
        }
    }

    @Override
    void measure(SandboxOuro ouro, int run) throws InterruptedException {
        limit(ouro);
        change(ouro, Keeper.GOES_ON);
        change(ouro, Keeper.IS_KILLED);
        change(ouro, Keeper.STANDS_STILL);
        powerCut(ouro, Keeper.GOES_ON);
        powerCut(ouro, Keeper.STANDS_STILL);
    }

    /**
     * As {@code ouro up --cpus}, which checkouts of before have not; of a sandbox that another one has made, this checkout's would make one of its own.
     */
    private void limit(SandboxOuro ouro) {
        Path groups = Path.of("/sys/fs/cgroup");
        long quota = Math.round(Double.parseDouble(cpus) * PERIOD);
        try {
            for (String line :
                    Files.readAllLines(Path.of("/proc", Long.toString(ouro.pid(ouro.sandbox())), "cgroup"))) {
                String[] words = line.split(":", 3);
                if (words[2].equals("/")) {
                    continue;
                }
                String group = Path.of(words[2]).subpath(0, 1).toString();
                if (words[1].isEmpty()) {
                    Files.writeString(groups.resolve(group).resolve("cpu.max"), quota + " " + PERIOD);
                    return;
                } else if (words[1].equals("cpu") || words[1].startsWith("cpu,")) {
                    Path cpu = groups.resolve(words[1]).resolve(group);
                    Files.writeString(cpu.resolve("cpu.cfs_period_us"), Long.toString(PERIOD));
                    Files.writeString(cpu.resolve("cpu.cfs_quota_us"), Long.toString(quota));
                    return;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw ProblemException.of(
                ErrorCode.COMPONENT_FAILED,
                "control group of sandbox " + ouro.sandbox(),
                "has no processor time that could be limited",
                "a controller cpu",
                "see /proc/PID/cgroup of the node's first process");
    }

    private void change(SandboxOuro ouro, Keeper keeper) throws InterruptedException {
        tell("a change" + keeper.told);
        try (Probe probe = Probe.start(patient(ouro), ProbeListener.NONE)) {
            String before = annotation(ouro, "revision");
            ouro.kubectl("set", "env", API_SERVER, "OURO_BENCH_RUN=" + ++changes);
            await(
                    ouro,
                    "clients are led to the understudy",
                    LIMIT,
                    () -> !annotation(ouro, "revision").equals(before) && LED_AWAY.contains(annotation(ouro, "state"))
                            ? Optional.of(true)
                            : Optional.empty());
            disturb(ouro, keeper);
            await(
                    ouro,
                    "the change is done",
                    LIMIT,
                    () -> annotation(ouro, "state").equals("Done") ? Optional.of(true) : Optional.empty());
            ouro.awaitAtRest();
            note("change" + keeper.told, probe);
        }
    }

    private void powerCut(SandboxOuro ouro, Keeper keeper) throws InterruptedException {
        tell("a power cut" + keeper.told);
        ouro.reboot();
        limit(ouro);
        try (Probe probe = Probe.start(patient(ouro).withAwaitFirstAnswer(true), ProbeListener.NONE)) {
            await(ouro, "the API answers", LIMIT, () -> Optional.of(ouro.get(API_SERVER)));
            disturb(ouro, keeper);
            ouro.awaitAtRest();
            note("power cut" + keeper.told, probe);
        }
    }

    private static ProbeOptions patient(SandboxOuro ouro) {
        return ProbeOptions.of(KubeconfigFile.read(ouro.kubeconfig(), Optional.empty()))
                .withTimeout(Duration.ofSeconds(10))
                .withInterval(Duration.ofMillis(500));
    }

    private static void disturb(SandboxOuro ouro, Keeper keeper) throws InterruptedException {
        switch (keeper) {
            case GOES_ON -> {}
            case IS_KILLED -> signal(ouro, "KILL");
            case STANDS_STILL -> {
                signal(ouro, "STOP");
                Thread.sleep(STANDSTILL);
                signal(ouro, "CONT");
            }
        }
    }

    private static void signal(SandboxOuro ouro, String signal) {
        ouro.inNode(
                "sh",
                "-c",
                "for process in /proc/[0-9]*; do if tr '\\0' ' ' <$process/cmdline 2>/dev/null | grep -q '^[^ ]*java .*/opt/keeper/'; then kill -"
                        + signal + " ${process#/proc/}; fi; done");
    }

    private void note(String what, Probe probe) throws InterruptedException {
        for (ClientReport client : probe.stop().clients()) {
            if (client.row().decides()) {
                String row = what + ": " + client.row().name().toLowerCase(Locale.ROOT);
                table.add(row + ", requests", (double) (client.requests() - client.beforeFirstAnswer()));
                table.add(row + ", failed", (double) client.failures());
                table.add(row + ", longest wait (s)", seconds(client.longestWait()));
            }
        }
    }

    private static String annotation(SandboxOuro ouro, String name) {
        JsonNode annotations = ouro.get(API_SERVER).path("metadata").path("annotations");
        return annotations.path("ouroboros.dev/change-" + name).asText();
    }
}
