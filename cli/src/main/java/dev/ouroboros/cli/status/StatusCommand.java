package dev.ouroboros.cli.status;

import dev.ouroboros.cli.cluster.NodeOption;
import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.cli.cluster.TargetHints;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutputFormat;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.console.TerminalColours;
import dev.ouroboros.cli.program.CommandName;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.status.judge.ConvergenceWait;
import dev.ouroboros.status.judge.Judge;
import dev.ouroboros.status.model.Report;
import dev.ouroboros.status.model.SourceStatus;
import dev.ouroboros.status.source.StatusLooks;
import dev.ouroboros.status.source.StatusSource;
import dev.ouroboros.status.view.DataView;
import dev.ouroboros.status.view.Palette;
import dev.ouroboros.status.view.TextView;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro status}. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Shows where a cluster stands, layer by layer: what runs where, who owns it, its health, its checkpoint,"
                    + " its certificates, and a change that is under way.",
            "Asks the API, and on a node (or with --name) also the keeper, the container runtime and the disk, which"
                    + " answer when the API does not. What is unknown is shown as ?, with its reason. Changes nothing.",
            "Of other namespaces than kube-system it shows add-ons: what has the priority class"
                    + " system-cluster-critical or system-node-critical, or asks for a checkpoint."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:shown; with --wait: everything is as its templates ask for",
            "1:nobody who was asked knows of a cluster; with --wait: a change failed, was refused, or time is up",
            "2:bad usage"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro status",
            "  ouro status --name ouroboros --watch",
            "  kubectl -n kube-system set image ds/kube-apiserver kube-apiserver=IMAGE && ouro status --wait"
        })
public final class StatusCommand implements Callable<Integer> {
    enum Output {
        TABLE,
        WIDE,
        JSON,
        YAML
    }

    private static final String CLEAR = "\u001b[H\u001b[2J\u001b[3J";

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private StatusTarget target = new StatusTarget();

    @Mixin
    private NodeOption node = new NodeOption();

    @Option(names = "--watch", description = "Show it again whenever it changes, until Ctrl-C.")
    private boolean watch;

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            arity = "0..1",
            fallbackValue = "10m",
            converter = DurationConverter.class,
            description = "Wait until everything is as its templates ask for, at most this long (without TIME: 10m).")
    private Optional<Duration> wait = Optional.empty();

    @Option(
            names = "--request-timeout",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "How long the API server may take for one answer (default: 10s).")
    private Duration requestTimeout = StatusSource.REQUEST_TIMEOUT;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "TABLE",
            description = "table, wide, json or yaml (default: table).")
    private Output output = Output.TABLE;

    @Override
    public Integer call() throws InterruptedException {
        if (watch && wait.isPresent()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--watch",
                    "cannot be given with --wait",
                    "one of them",
                    "leave --watch out: --wait prints what it waits for");
        }
        if (wait.isPresent()) {
            target.requireUsableKubeconfig();
        }
        try (StatusLooks looks = new StatusLooks(
                target::endpoint,
                () -> target.node(node),
                (server, place) ->
                        new StatusSource(server, place, ThisMachine.disk(), InstantSource.system(), requestTimeout))) {
            if (wait.isPresent()) {
                // As kubectl rollout status does: what is waited for is printed on standard error.
                SpokenLines lines = new SpokenLines(spec);
                print(text(new ConvergenceWait(
                                () -> look(looks),
                                ConvergenceWait.LOOKS,
                                why -> lines.say("waits: " + why.replace("\n", "; ")))
                        .await(wait.get())));
                return ExitCode.DONE;
            }
            if (watch) {
                return watch(looks);
            }
            Report report = look(looks);
            requireAnything(report);
            print(text(report));
            return ExitCode.DONE;
        }
    }

    /** The report, with commands that can be typed as they are printed. */
    private Report look(StatusLooks looks) {
        return Judge.report(looks.look()).advising(TargetHints.of(spec)::in);
    }

    /** Fails with the reason when there is nothing to show. */
    private void requireAnything(Report report) {
        if (report.isEmpty()) {
            throw new ProblemException(
                    report.sources().stream().map(this::problem).toList());
        }
    }

    private Problem problem(SourceStatus source) {
        String next = source.next().isEmpty() ? target.nextWithoutAnswer() : source.next();
        return new Problem(ErrorCode.API_UNAVAILABLE, source.name(), source.text(), "", next);
    }

    /** Shows the status again and again: on a terminal in place, elsewhere when more than ages changed. */
    private int watch(StatusLooks looks) throws InterruptedException {
        Optional<Report> before = Optional.empty();
        // The reader may have gone: then there is nobody to write to.
        while (!spec.commandLine().getOut().checkError()) {
            long begun = System.nanoTime();
            Report report = look(looks);
            if (TerminalColours.isTerminal()) {
                print(CLEAR + text(report));
            } else if (!before.map(Report::timeless).equals(Optional.of(report.timeless()))) {
                print((before.isEmpty() ? "" : "\n") + text(report));
            }
            before = Optional.of(report);
            Thread.sleep(ConvergenceWait.LOOKS.pauseAfter(Duration.ofNanos(System.nanoTime() - begun)));
        }
        return ExitCode.DONE;
    }

    private String text(Report report) {
        return switch (output) {
            case TABLE -> CommandName.ofThisProcess(spec).in(TextView.of(report, palette(), false));
            case WIDE -> CommandName.ofThisProcess(spec).in(TextView.of(report, palette(), true));
            case JSON -> OutputFormat.JSON.format(spec, DataView.of(report), () -> "");
            case YAML -> OutputFormat.YAML.format(spec, DataView.of(report), () -> "");
        };
    }

    private void print(String text) {
        PrintWriter out = spec.commandLine().getOut();
        out.print(text);
        out.flush();
    }

    private static Palette palette() {
        return TerminalColours.isColoured() ? Palette.TERMINAL : Palette.PLAIN;
    }
}
