package dev.ouroboros.cli.start;

import dev.ouroboros.bootstrap.Bootstrap;
import dev.ouroboros.bootstrap.StartOptions;
import dev.ouroboros.bootstrap.decide.PivotSettings;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutputFormat;
import dev.ouroboros.cli.console.PlainScreen;
import dev.ouroboros.cli.console.Screen;
import dev.ouroboros.cli.console.TerminalScreen;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.host.HostTree;
import dev.ouroboros.host.decide.HostRecord;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.clock.MonotonicClock;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.kubelet.NodeName;
import dev.ouroboros.node.libc.Libc;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro start}. */
@Command(
        name = "start",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Turns an asset directory into a control plane that hosts itself, on the machine it runs on.",
        footer = {
            "",
            "Example:",
            "  ouro start --asset-dir ./assets",
            "  ouro start --asset-dir ./bootkube-assets --adopt --dry-run",
            "  ouro start --asset-dir ./recovered --etcd-snapshot backup.db",
            "",
            "Killed at any moment, it goes on when it is run again."
        })
public final class StartCommand implements Callable<Integer> {
    private static final int STANDARD_ERROR = 2;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Option(
            names = "--asset-dir",
            required = true,
            paramLabel = "DIR",
            description = "What 'ouro render' or 'bootkube render' wrote.")
    private Path assetDirectory = Path.of("");

    @Option(
            names = "--pod-manifest-path",
            paramLabel = "DIR",
            defaultValue = "/etc/kubernetes/manifests",
            description = "Where the kubelet looks for static pod manifests (default: ${DEFAULT-VALUE}).")
    private Path podManifestPath = Path.of("");

    @Option(
            names = "--required-pods",
            split = ",",
            paramLabel = "NAMESPACE/NAME",
            description =
                    "Workloads that must be ready before the switch (default: the control plane's of manifests/).")
    private Set<String> requiredPods = Set.of();

    @Option(
            names = "--node-name",
            paramLabel = "NAME",
            description =
                    "Name of this machine's Node (default: the one that 'ouro host prepare' gave it, else its host name).")
    private Optional<String> nodeName = Optional.empty();

    @Option(
            names = "--node-address",
            paramLabel = "IP",
            description =
                    "This machine's address, when the API endpoint leads elsewhere, as with a load balancer (default then: the one"
                            + " that 'ouro host prepare' gave it).")
    private Optional<InetAddress> nodeAddress = Optional.empty();

    @Option(
            names = "--allow-outage",
            description =
                    "Also start a directory whose kubeconfigs name a loopback address, where the API cannot be handed"
                            + " over without some seconds of outage, as with bootkube.")
    private boolean outageAllowed;

    @Option(
            names = "--adopt",
            description =
                    "Alter what manifests/ of a directory that bootkube rendered holds before it is applied, so that changes"
                            + " of the API server and checkpoints work as with what 'ouro render' wrote; the files stay as they are."
                            + " For the first start of a cluster.")
    private boolean adopt;

    @Option(
            names = "--take-over",
            description =
                    "Begin although the keeper of this node stands in for a part of the control plane: what it has started is"
                            + " removed first, and the API is away until the temporary API server answers. For a cluster that the"
                            + " keeper cannot bring back, because it lost a component that was never healthy.")
    private boolean takesOver;

    @Option(names = "--dry-run", description = "Print what would be started and altered, and change nothing.")
    private boolean dryRun;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "TABLE",
            paramLabel = "FORMAT",
            description = "With --dry-run: table, json or yaml (default: table).")
    private OutputFormat output = OutputFormat.TABLE;

    @Option(
            names = "--kubelet-restart-command",
            paramLabel = "COMMAND",
            description =
                    "Run by /bin/sh when the kubelet could join and has not, so that it need not wait for its next"
                            + " try (default: 'systemctl try-restart kubelet' where systemd runs, and what does the same in a sandbox).")
    private Optional<String> kubeletRestart = Optional.empty();

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "10m",
            converter = DurationConverter.class,
            description = "How long it waits for anything to come forward (default: ${DEFAULT-VALUE}).")
    private Duration timeout = PivotSettings.DEFAULT.progressDeadline();

    @Option(
            names = "--restored-at",
            paramLabel = "INSTANT",
            description =
                    "When etcd was restored from a snapshot, if it was: pods from before are of a former life and are"
                            + " made anew (as in 2026-11-21T12:00:00Z). Each restore has a moment of its own: pods are deleted"
                            + " once for each.")
    private Optional<Instant> restoredAt = Optional.empty();

    @Mixin
    private final CertificateOptions certificates = new CertificateOptions();

    @Mixin
    private final EtcdRestoreOptions etcd = new EtcdRestoreOptions();

    @Option(names = "--report", paramLabel = "FILE", description = "Write what happened when, as JSON.")
    private Optional<Path> report = Optional.empty();

    @Override
    public Integer call() throws InterruptedException {
        boolean restores = etcd.wanted();
        Disk disk = ThisMachine.disk();
        Optional<HostRecord.Node> prepared = prepared(nodeName, disk);
        StartOptions options = new StartOptions(
                assetDirectory,
                podManifestPath,
                Path.of(StateLayout.DIRECTORY),
                nodeName(nodeName, prepared, disk),
                nodeAddress,
                prepared.map(HostRecord.Node::address),
                kubeletRestart.or(ThisMachine::kubeletRestart),
                outageAllowed,
                adopt,
                takesOver || certificates.wanted(),
                requiredPods,
                PivotSettings.DEFAULT.withProgressDeadline(timeout),
                restoredAt);
        Bootstrap bootstrap = new Bootstrap(
                disk,
                ThisMachine.processes(),
                new MonotonicClock(InstantSource.system().instant()));
        if (dryRun) {
            StartPreview.print(spec, bootstrap.plan(options), output);
            return ExitCode.DONE;
        }
        try (Screen screen = screen(spec.commandLine().getErr())) {
            StartProgress progress = new StartProgress(screen, InstantSource.system());
            try {
                certificates.around(
                        options,
                        screen,
                        timeout,
                        () -> bootstrap.start(
                                options,
                                () -> restores
                                        ? Optional.of(etcd.restore(options, bootstrap.plan(options), screen::line))
                                        : Optional.empty(),
                                progress));
                etcd.forget(options);
            } finally {
                report.ifPresent(file -> disk.write(file, progress.report(), "rw-r--r--"));
            }
        }
        return ExitCode.DONE;
    }

    private static Screen screen(PrintWriter err) {
        InstantSource clock = InstantSource.system();
        if (System.getenv().getOrDefault("TERM", "dumb").equals("dumb")) {
            return new PlainScreen(err, clock);
        }
        Libc libc = new Libc();
        return libc.terminalSize(STANDARD_ERROR)
                .<Screen>map(first -> new TerminalScreen(
                        err, clock, () -> libc.terminalSize(STANDARD_ERROR).orElse(first)))
                .orElseGet(() -> new PlainScreen(err, clock));
    }

    /**
     * The node that {@code host prepare} made of this machine; empty where an option says what the node is, as in a sandbox's node, which sees this
     * machine's files.
     */
    static Optional<HostRecord.Node> prepared(Optional<String> said, Disk disk) {
        return said.isPresent()
                ? Optional.empty()
                : new HostTree(disk, Path.of("/")).record().node();
    }

    static String nodeName(Optional<String> said, Optional<HostRecord.Node> prepared, Disk disk) {
        String name = said.map(NodeName::said)
                .or(() -> prepared.map(HostRecord.Node::name))
                .or(() -> NodeName.ofThisMachine(disk))
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.BAD_USAGE,
                        "--node-name",
                        "this machine has no host name",
                        "",
                        "say the Node's name with --node-name"));
        NodeName.unfit(name).ifPresent(problem -> {
            throw new ProblemException(problem);
        });
        return name;
    }
}
