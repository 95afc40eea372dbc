package dev.ouroboros.cli.sandbox;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutcomeOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.images.BinaryOptions;
import dev.ouroboros.cli.images.RegistryOptions;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.InNode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.cli.snapshot.SnapshotOptions;
import dev.ouroboros.cli.snapshot.WorkloadOptions;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.node.Subnet;
import dev.ouroboros.sandbox.up.CpuLimit;
import dev.ouroboros.sandbox.up.SnapshotFile;
import dev.ouroboros.sandbox.up.Up;
import dev.ouroboros.sandbox.up.UpOptions;
import dev.ouroboros.sandbox.up.UpResult;
import dev.ouroboros.status.judge.Judge;
import dev.ouroboros.status.model.Remark;
import dev.ouroboros.status.source.StatusSource;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro up}. */
@Command(
        name = "up",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Makes a sandbox: a real Kubernetes on this machine that runs its own control plane.",
        footer = {
            "",
            "Example:",
            "  ouro up && export KUBECONFIG=$(ouro kubeconfig)",
            "  ouro up --control-planes 3 --workers 2",
            "  ouro up --registry-mirror http://10.77.0.1:5000",
            "  ouro up --snapshot saved.db --encryption-config keys.yaml",
            "",
            "Killed at any moment, it goes on when it is run again. 'ouro down' removes everything."
        })
public final class UpCommand implements Callable<Integer> {
    /** The network has no more addresses. */
    private static final int MOST_WORKERS = Subnet.LAST_NODE - Subnet.FIRST_NODE;

    /** etcd's authors recommend at most seven members (etcd.io/docs/v3.5/faq). */
    private static final int MOST_CONTROL_PLANES = 7;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private SandboxOptions options = new SandboxOptions();

    @Mixin
    private BinaryOptions binaries = new BinaryOptions();

    @Mixin
    private final RegistryOptions registries = new RegistryOptions();

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "10m",
            converter = DurationConverter.class,
            description = "How long ouro start waits for anything to come forward (default: ${DEFAULT-VALUE}).")
    private Duration timeout = Duration.ZERO;

    @Option(
            names = "--no-start",
            description = "Stop before 'ouro start': a node with a kubelet and etcd, to try 'ouro start' in.")
    private boolean noStart;

    @Option(
            names = "--cpus",
            paramLabel = "N",
            description =
                    "How many processors' time the sandbox may take, as in 0.3, to see it on a slow machine; kept for later; 0 for no limit.")
    private Optional<String> cpus = Optional.empty();

    @Option(
            names = "--control-planes",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "How many control-plane nodes there are to be, at least. Those that a new sandbox begins with run etcd too, if their number is odd; else all but the last (default: ${DEFAULT-VALUE}).")
    private int controlPlanes = 1;

    @Option(
            names = "--workers",
            paramLabel = "N",
            description =
                    "How many nodes there are to be besides those of the control plane, at least (default: those that there are).")
    private Optional<Integer> workers = Optional.empty();

    @Option(
            names = "--layers",
            paramLabel = "LAYERS",
            defaultValue = "2-4",
            description = {
                "What a new sandbox manages of itself: 2-4, the control plane and what is above; or 1-4, etcd too, by the object ControlPlane/cluster (default: ${DEFAULT-VALUE})."
            })
    private String layers = "";

    @Option(
            names = "--snapshot",
            paramLabel = "FILE",
            description =
                    "Make the sandbox of an etcd snapshot of one that is lost: the same cluster on a new machine.")
    private Optional<Path> snapshot = Optional.empty();

    @Option(
            names = "--encryption-config",
            paramLabel = "FILE",
            description = "The lost API server's EncryptionConfiguration, for what the snapshot has encrypted.")
    private Optional<Path> encryptionConfig = Optional.empty();

    @Mixin
    private WorkloadOptions workloads = new WorkloadOptions();

    @Mixin
    private final OutcomeOptions output = new OutcomeOptions();

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        Sandbox sandbox = options.sandbox();
        UpOptions asked = asked();
        UpProgress progress = new UpProgress(err, InstantSource.system());
        try (Interruption _ = Interruption.saying(() -> interrupted(sandbox, progress.step()), err)) {
            UpResult result = up(sandbox, progress).run(asked);
            say(result, sandbox, new SpokenLines(spec));
            output.print(spec, () -> data(sandbox, result));
        }
        return ExitCode.DONE;
    }

    private UpOptions asked() {
        if (encryptionConfig.isPresent() && snapshot.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--encryption-config",
                    "is for what a snapshot has encrypted, and there is none",
                    "--snapshot with the file of the lost cluster",
                    "give --snapshot FILE too; a new sandbox makes a key of its own");
        }
        if (noStart && (workers.orElse(0) > 0 || controlPlanes > 1)) {
            String nodes = controlPlanes > 1 ? "--control-planes" : "--workers";
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--no-start and " + nodes,
                    "do not go together: a node joins a cluster that runs",
                    "one of them",
                    "leave " + nodes + " out; once the cluster runs, 'ouro up " + nodes + " N' adds them");
        }
        if (snapshot.isPresent() && controlPlanes > 1) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--snapshot and --control-planes",
                    "do not go together: a cluster comes back on one node first",
                    "one of them",
                    "leave --control-planes out; once the cluster is back, 'ouro up --control-planes N' makes more");
        }
        return new UpOptions(
                binaries.source(),
                binaries.kubernetesVersion(),
                binaries.installAllowed(),
                timeout,
                !noStart,
                snapshot.map(file -> new SnapshotFile(
                        file.toAbsolutePath(), SnapshotOptions.keys(encryptionConfig), workloads.chosen())),
                registries.access(),
                cpus.map(UpCommand::cpuLimit),
                numberOfControlPlanes(controlPlanes),
                workers.map(UpCommand::numberOfWorkers),
                layers(layers),
                InNode.commandLine(spec));
    }

    private static String layers(String asked) {
        if (!asked.equals("2-4") && !asked.equals("1-4")) {
            throw ProblemException.of(
                    ErrorCode.INVALID_FLAG, "--layers", "'" + asked + "'", "2-4 or 1-4", "give it as in --layers 1-4");
        }
        return asked;
    }

    private static CpuLimit cpuLimit(String text) {
        try {
            return CpuLimit.parse(text);
        } catch (IllegalArgumentException e) {
            throw ProblemException.of(
                    ErrorCode.INVALID_FLAG,
                    "--cpus",
                    "'" + text + "'",
                    String.valueOf(e.getMessage()),
                    "give it as in --cpus 0.3");
        }
    }

    private static int numberOfWorkers(int asked) {
        if (asked < 0 || asked > MOST_WORKERS) {
            throw ProblemException.of(
                    ErrorCode.INVALID_FLAG,
                    "--workers",
                    "'" + asked + "'",
                    "a number from 0 to " + MOST_WORKERS,
                    "give it as in --workers 2");
        }
        return asked;
    }

    private static int numberOfControlPlanes(int asked) {
        if (asked < 1 || asked > MOST_CONTROL_PLANES) {
            throw ProblemException.of(
                    ErrorCode.INVALID_FLAG,
                    "--control-planes",
                    "'" + asked + "'",
                    "a number from 1 to " + MOST_CONTROL_PLANES,
                    "give it as in --control-planes 3");
        }
        return asked;
    }

    /** The text for a person who stopped it: how far it came, and how to go on or back. */
    private static String interrupted(Sandbox sandbox, String step) {
        String where = step.isEmpty() ? "before its first step" : "while " + step;
        boolean made = sandbox.record().isPresent();
        return made
                ? "interrupted " + where
                        + ". What was made stays: the same command goes on from there, 'ouro down --name "
                        + sandbox.name() + "' removes it"
                : "interrupted " + where
                        + ". Nothing of the sandbox is made yet: the same command begins anew, with what is in the cache";
    }

    private static void say(UpResult result, Sandbox sandbox, SpokenLines lines) {
        switch (result) {
            case WAS_UP -> wasUp(sandbox, lines);
            case BOOTED -> lines.say("sandbox " + sandbox.name() + " is up again: its keepers brought it back");
            case NODE_ONLY -> {
                lines.say("node " + sandbox.name().node() + " runs a kubelet and etcd. To start its control plane:");
                lines.say("  ouro up --name " + sandbox.name());
            }
            case MADE -> {
                String name = sandbox.name().equals(SandboxOptions.DEFAULT_NAME) ? "" : " --name " + sandbox.name();
                lines.say("sandbox " + sandbox.name() + " is up. To use it:");
                lines.say("  export KUBECONFIG=$(ouro kubeconfig" + name + ")");
                lines.say("  ouro exec " + sandbox.name().node() + " -- kubectl get pods -A");
                lines.say("  ouro down" + name);
            }
        }
    }

    /**
     * Says what this run of up left as it was, and another run would not bring either: workloads whose template or number of replicas people have
     * changed.
     */
    private static void wasUp(Sandbox sandbox, SpokenLines lines) {
        List<Remark> lacks = lacks(sandbox);
        if (lacks.isEmpty()) {
            lines.say("sandbox " + sandbox.name() + " is up: nothing to do");
            return;
        }
        lines.say("sandbox " + sandbox.name() + " is up, and 'up' leaves it as it is; but its control plane lacks:");
        for (Remark remark : lacks) {
            lines.say("  " + remark.about() + ": " + remark.text());
            if (!remark.next().isEmpty()) {
                lines.say("    next: " + remark.next());
            }
        }
    }

    private static List<Remark> lacks(Sandbox sandbox) {
        Evidence<Endpoint> endpoint =
                Evidence.known(KubeconfigFile.read(sandbox.paths().kubeconfig(), Optional.empty()));
        try (StatusSource source = new StatusSource(
                endpoint,
                StatusTarget.node(sandbox),
                ThisMachine.disk(),
                InstantSource.system(),
                StatusSource.REQUEST_TIMEOUT)) {
            return Judge.report(source.look()).whatTheControlPlaneLacks();
        }
    }

    private static ObjectNode data(Sandbox sandbox, UpResult result) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("sandbox", sandbox.name().toString())
                .put("node", sandbox.name().node())
                .put(
                        "outcome",
                        switch (result) {
                            case MADE -> "made";
                            case WAS_UP -> "was-up";
                            case BOOTED -> "booted";
                            case NODE_ONLY -> "node-only";
                        })
                .put("kubeconfig", sandbox.paths().kubeconfig().toString());
    }

    static Up up(Sandbox sandbox, UpProgress progress) {
        return new Up(
                sandbox,
                ThisMachine.packages(),
                ThisMachine.images(),
                ThisMachine.renderer(),
                ThisMachine.processes(),
                ThisMachine.disk(),
                InstantSource.system(),
                progress);
    }
}
