package dev.ouroboros.cli.start;

import dev.ouroboros.bootstrap.StartOptions;
import dev.ouroboros.bootstrap.StartPlan;
import dev.ouroboros.cli.etcd.RestoreLines;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.etcd.EtcdRestorer;
import dev.ouroboros.etcd.Restoration;
import dev.ouroboros.etcd.RestoreOptions;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.clock.MonotonicClock;
import dev.ouroboros.runtime.cri.CriRuntime;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/** How {@code start} puts etcd back to a snapshot before anything else. */
final class EtcdRestoreOptions {
    private static final String SOMETHING_IN_ETCD = "/api/v1/namespaces/kube-system";
    private static final String ELSEWHERE =
            "whatever still runs elsewhere and watched the cluster before must be restarted, or it sees no changes. Reboot the other nodes";
    private static final Duration RUNTIME_LIMIT = Duration.ofSeconds(5);

    @Option(
            names = "--etcd-snapshot",
            paramLabel = "FILE",
            description = {
                "Put this node's etcd, a static pod, back to a snapshot first: one member, in a cluster of its own.",
                "Its former data stays beside it, and comes back when etcd does not start."
            })
    private Optional<Path> snapshot = Optional.empty();

    @Option(
            names = "--etcd-manifest",
            paramLabel = "FILE",
            description = "etcd's manifest (default: etcd.yaml where the kubelet looks for manifests).")
    private Optional<Path> manifest = Optional.empty();

    @Option(
            names = "--etcd-tool",
            paramLabel = "FILE",
            description = "etcdutl, or etcdctl before 3.6, of etcd's own minor version (default: the one on the path).")
    private Optional<Path> tool = Optional.empty();

    @Option(
            names = "--runtime-socket",
            paramLabel = "FILE",
            defaultValue = "/run/containerd/containerd.sock",
            description = "Of the container runtime, which says when etcd has ended (default: ${DEFAULT-VALUE}).")
    private Path runtimeSocket = Path.of("");

    @Option(
            names = "--discard-etcd",
            description = "Restore although the API still answers: all that was written since the snapshot is lost.")
    private boolean discard;

    /** Whether there is something to restore. */
    boolean wanted() {
        if (snapshot.isEmpty() && (manifest.isPresent() || tool.isPresent() || discard)) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    manifest.isPresent() ? "--etcd-manifest" : tool.isPresent() ? "--etcd-tool" : "--discard-etcd",
                    "is given without --etcd-snapshot",
                    "both",
                    "name the snapshot with --etcd-snapshot FILE, or leave this option out");
        }
        return snapshot.isPresent();
    }

    /** @return when the restore began: what etcd holds is older */
    Instant restore(StartOptions start, StartPlan plan, Consumer<String> say) throws InterruptedException {
        return restorer()
                .restore(
                        options(start),
                        () -> requireNobodyAnswers(plan),
                        event -> RestoreLines.tell(event, ELSEWHERE, say));
    }

    /** The start has ended: the same snapshot may be restored again, and so may that of an earlier start that did not end. */
    void forget(StartOptions start) {
        if (snapshot.isPresent()) {
            restorer().forget(options(start));
        } else {
            Restoration.forgetUnlessInBetween(ThisMachine.disk(), start.stateDirectory());
        }
    }

    private EtcdRestorer restorer() {
        return new EtcdRestorer(
                ThisMachine.disk(),
                ThisMachine.processes(),
                new CriRuntime(runtimeSocket, RUNTIME_LIMIT),
                new MonotonicClock(InstantSource.system().instant()));
    }

    private RestoreOptions options(StartOptions start) {
        return new RestoreOptions(
                snapshot.orElseThrow(),
                manifest.orElseGet(() -> start.podManifestPath().resolve("etcd.yaml")),
                start.stateDirectory(),
                tool,
                start.kubeletRestart(),
                start.settings().progressDeadline());
    }

    /** Requires that no API server reads objects: one whose etcd is lost may still tell its version. */
    private void requireNobodyAnswers(StartPlan plan) {
        if (discard) {
            return;
        }
        try (ClusterClient client = ClusterClient.connect(plan.api())) {
            new ClusterReader(client).require(SOMETHING_IN_ETCD);
        } catch (ProblemException e) {
            if (ClusterClient.showsNoCluster(e)) {
                return;
            }
            if (e.problems().getFirst().code() == ErrorCode.API_UNAVAILABLE) {
                throw ProblemException.of(
                        ErrorCode.CHANGE_REFUSED,
                        "--etcd-snapshot",
                        "whether the API is served at " + plan.endpoint() + " is not known ("
                                + e.problems().getFirst().what()
                                + "): what was written since the snapshot would be lost",
                        "a cluster that is gone: nobody listens there, or who answers has no etcd",
                        "mend that (where a certificate's time is wrong, set this machine's clock); if the cluster is gone, add --discard-etcd");
            }
        }
        throw ProblemException.of(
                ErrorCode.CHANGE_REFUSED,
                "--etcd-snapshot",
                "the API is served at " + plan.endpoint() + ": what was written since the snapshot would be lost",
                "a cluster that is gone",
                "take a new snapshot of it first (ouro snapshot save); to restore all the same, add --discard-etcd");
    }
}
