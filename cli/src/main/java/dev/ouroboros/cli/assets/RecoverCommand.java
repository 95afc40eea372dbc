package dev.ouroboros.cli.assets;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.EtcdOptions;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.Question;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.cli.snapshot.SnapshotOptions;
import dev.ouroboros.cli.snapshot.WorkloadOptions;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.keeper.checkpoint.CheckpointStore;
import dev.ouroboros.keeper.checkpoint.StoredCheckpoints;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.recovery.ClusterRecovery;
import dev.ouroboros.recovery.ClusterRecovery.Source;
import dev.ouroboros.recovery.NodeComparison;
import dev.ouroboros.recovery.NodeComparison.OnNode;
import dev.ouroboros.recovery.RecoveredCluster;
import dev.ouroboros.recovery.RecoveryDirectory;
import dev.ouroboros.recovery.RecoveryDirectory.Difference;
import dev.ouroboros.recovery.RecoveryRequest;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro recover}. */
@Command(
        name = "recover",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Makes an asset directory of what is left of a cluster: a snapshot file, an etcd, or an API that still answers.",
        footer = {
            "",
            "Example:",
            "  ouro recover --recovery-dir ./recovered --snapshot saved.db --encryption-config keys.yaml",
            "  ouro recover --recovery-dir ./recovered --etcd-servers https://127.0.0.1:2379 \\",
            "      --etcd-ca-path ca.crt --etcd-certificate-path client.crt --etcd-private-key-path client.key",
            "  ouro recover --recovery-dir ./recovered --kubeconfig admin.conf",
            "  ouro start --asset-dir ./recovered",
            "",
            "It shows what would change in the directory and asks before it writes."
        })
public final class RecoverCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Option(names = "--recovery-dir", required = true, paramLabel = "DIR", description = "Where to write the assets.")
    private Path recoveryDirectory = Path.of("");

    @Option(
            names = "--snapshot",
            paramLabel = "FILE",
            description = "An etcd snapshot, or member/snap/db of a data directory whose etcd does not run.")
    private Optional<Path> snapshot = Optional.empty();

    @Mixin
    private EtcdOptions etcd = new EtcdOptions();

    @Option(
            names = "--encryption-config",
            paramLabel = "FILE",
            description = "The API server's EncryptionConfiguration, for what is encrypted at rest.")
    private Optional<Path> encryptionConfig = Optional.empty();

    @Option(
            names = "--damaged",
            description =
                    "Recover from what can be read of a damaged --snapshot: values may be wrong, and objects may be missing.")
    private boolean damaged;

    @Mixin
    private WorkloadOptions workloads = new WorkloadOptions();

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description =
                    "An administrator's: what 'ouro start' will use. Alone, the API that it leads to is what is recovered"
                            + " from. Without it one is made with the authority that the controller manager signs with.")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(
            names = "--server",
            paramLabel = "URL",
            description = "Where clients reach the API, when no kubeconfig of the control plane says so.")
    private Optional<URI> server = Optional.empty();

    @Option(
            names = "--new-etcd-keys",
            description = "Make a new authority and new keys for etcd: those of a lost machine are in no snapshot.")
    private boolean newEtcdKeys;

    @Option(
            names = "--checkpoint-dir",
            paramLabel = "DIR",
            defaultValue = StateLayout.DIRECTORY + "/" + StateLayout.CHECKPOINTS,
            description = "What this node's keeper saved, to be compared with. Default: ${DEFAULT-VALUE}.")
    private Path checkpoints = Path.of("");

    @Option(names = "--dry-run", description = "Show what would change, and change nothing.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Write without asking.")
    private boolean yes;

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        RecoveryDirectory directory = new RecoveryDirectory(ThisMachine.disk(), recoveryDirectory.toAbsolutePath());
        // Before keys are read: nothing is recovered into what is somebody else's.
        directory.requireOwn();
        ClusterRecovery recovery =
                new ClusterRecovery(ThisMachine.disk(), InstantSource.system(), new SecureRandom(), directory);
        ClusterRecovery.Planned planned = recovery.plan(request(), source());
        RecoveredCluster cluster = planned.cluster();
        SpokenLines lines = new SpokenLines(spec);
        List<OnNode> onNode = NodeComparison.of(cluster.controlPlane(), lastGood(lines));
        output.print(spec, data(planned, onNode), () -> table(planned.changes()) + onNode(onNode));
        cluster.notes().forEach(note -> lines.say("note: " + note));
        if (dryRun || planned.changes().isEmpty()) {
            lines.say(
                    planned.changes().isEmpty()
                            ? "the directory holds all of it already: nothing to do"
                            : "nothing was written");
            return ExitCode.DONE;
        }
        if (!yes && !confirmed()) {
            lines.say("nothing was written");
            return ExitCode.FAILED;
        }
        recovery.write(planned);
        lines.say("recovered the control plane of " + cluster.server() + ". To start it, on its machine:");
        lines.say("  ouro start --asset-dir " + recoveryDirectory);
        return ExitCode.DONE;
    }

    /** Empty on a node without a keeper. One that is damaged is said, and is nothing to compare with. */
    private List<Checkpoint> lastGood(SpokenLines lines) {
        CheckpointStore store = new CheckpointStore(ThisMachine.disk(), checkpoints.toAbsolutePath());
        StoredCheckpoints stored = store.read();
        stored.problems().forEach(problem -> lines.say("note: not compared with: " + problem.describe()));
        return store.lastGood(stored);
    }

    private RecoveryRequest request() {
        return new RecoveryRequest(
                kubeconfig.map(RecoverCommand::text),
                server,
                newEtcdKeys,
                snapshot.isPresent(),
                workloads.chosen(),
                Map.of());
    }

    private Source source() {
        if (snapshot.isPresent()) {
            return new Source.SnapshotFile(snapshot.get(), SnapshotOptions.keys(encryptionConfig), damaged);
        }
        if (etcd.given()) {
            return new Source.LiveEtcd(etcd.servers(), SnapshotOptions.keys(encryptionConfig));
        }
        Path file = kubeconfig.orElseThrow(() -> ProblemException.of(
                ErrorCode.BAD_USAGE,
                "ouro recover",
                "nothing says what to recover from",
                "--snapshot, --etcd-servers or --kubeconfig",
                "see ouro recover --help"));
        return new Source.LiveApi(KubeconfigFile.read(file, server));
    }

    private static String text(Path file) {
        return ThisMachine.text(file, "a kubeconfig", "give the path of one with --kubeconfig");
    }

    private boolean confirmed() {
        return Question.ask(
                "ouro recover",
                "Write this to " + recoveryDirectory,
                spec.commandLine().getErr());
    }

    private static String table(List<Difference> differences) {
        return differences.stream()
                .map(difference -> String.format(Locale.ROOT, "%-8s %s%n", word(difference), difference.path()))
                .collect(Collectors.joining());
    }

    private static String word(Difference difference) {
        return difference.kind().name().toLowerCase(Locale.ROOT);
    }

    private String onNode(List<OnNode> differences) {
        if (differences.isEmpty()) {
            return "";
        }
        return "beside the last-good checkpoints of this node, in " + checkpoints + ":\n"
                + differences.stream()
                        .map(difference -> String.format(
                                Locale.ROOT,
                                "%s %s: %s recovered, %s on this node%n",
                                difference.component(),
                                difference.what(),
                                difference.recovered().orElse("nothing"),
                                difference.onNode().orElse("nothing")))
                        .collect(Collectors.joining());
    }

    private static ObjectNode data(ClusterRecovery.Planned planned, List<OnNode> onNode) {
        RecoveredCluster cluster = planned.cluster();
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        root.put("apiVersion", "ouroboros.dev/v1alpha1");
        root.put("kind", "RecoveryPlan");
        root.put("server", cluster.server().toString());
        cluster.version().ifPresent(version -> root.put("kubernetesVersion", version));
        ArrayNode etcd = root.putArray("etcdServers");
        cluster.etcdServers().forEach(etcd::add);
        ArrayNode nodes = root.putArray("nodes");
        cluster.nodes().forEach(nodes::add);
        ArrayNode changes = root.putArray("changes");
        planned.changes()
                .forEach(difference ->
                        changes.addObject().put("change", word(difference)).put("path", difference.path()));
        ArrayNode beside = root.putArray("onNode");
        onNode.forEach(difference -> {
            ObjectNode row =
                    beside.addObject().put("component", difference.component()).put("what", difference.what());
            difference.recovered().ifPresent(value -> row.put("recovered", value));
            difference.onNode().ifPresent(value -> row.put("onNode", value));
        });
        ArrayNode notes = root.putArray("notes");
        cluster.notes().forEach(notes::add);
        return root;
    }
}
