package dev.ouroboros.cli.upgrade;

import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.kubelet.KubeletMannerOptions;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.InNode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.sandbox.up.NodeStart;
import dev.ouroboros.upgrade.apply.Upgrade;
import dev.ouroboros.upgrade.apply.UpgradeJournal;
import dev.ouroboros.upgrade.run.ClusterUpgrade.TakenBack;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro upgrade rollback}. */
@Command(
        name = "rollback",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Takes the last upgrade back, done or half done: the components get the manifests of before in the reverse order, and what was"
                    + " changed in the cluster since stays. Kubelets that an upgrade or 'ouro kubelet set' made newer than that go back first."
                    + " Killed at any moment it goes on when it is run again.",
            "Across minor versions there is no such way: etcd goes back to the snapshot that the upgrade began with, and what was"
                    + " written since is lost. That is said first, and done only with --accept-loss."
        },
        footer = {
            "",
            "Examples:",
            "  ouro upgrade rollback --asset-dir ./assets",
            "  ouro upgrade rollback --name default --to-snapshot --accept-loss 1835"
        })
final class UpgradeRollbackCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private UpgradePlace place = new UpgradePlace();

    @Option(names = "--to-snapshot", description = "Put etcd back to the snapshot within a minor version too.")
    private boolean toSnapshot;

    @Option(
            names = "--accept-loss",
            paramLabel = "REVISION",
            description = "The revision of the snapshot that etcd goes back to: everything behind it is lost.")
    private @Nullable Long accepted;

    @Option(
            names = "--no-kubelets",
            description = "Leave kubelets as they are, also where they are newer than what the API servers become.")
    private boolean noKubelets;

    @Mixin
    private KubeletMannerOptions manner = new KubeletMannerOptions();

    @Mixin
    private UpgradeWork work = new UpgradeWork();

    @Override
    public Integer call() {
        ProcedureListener listener = new SpokenLines(spec, InstantSource.system());
        OptionalLong loss = accepted == null ? OptionalLong.empty() : OptionalLong.of(accepted);
        return switch (work.of(place.site(), listener)
                .takeBack(
                        work.choice(),
                        Optional.of(manner.manner()).filter(_ -> !noKubelets),
                        toSnapshot,
                        loss,
                        restart(listener))) {
            case TakenBack.ByManifests(Upgrade.Outcome outcome) -> {
                int exitCode = work.tell(outcome, "the last upgrade is taken back already", spec);
                outcome.journal().ifPresent(place::remember);
                yield exitCode;
            }
            case TakenBack.BySnapshot(UpgradeJournal.Snapshot snapshot, UpgradeJournal journal) -> {
                print("done: etcd is at revision " + snapshot.revision() + " of " + snapshot.taken() + "\n");
                place.remember(journal);
                yield ExitCode.DONE;
            }
            case TakenBack.LossNotAccepted(UpgradeJournal.Snapshot snapshot, OptionalLong now) -> {
                nameTheLoss(snapshot, now);
                yield ExitCode.FINDINGS;
            }
            case TakenBack.NodeElsewhere(UpgradeJournal.Snapshot snapshot, Path before) -> {
                sayWhatToRun(snapshot, before);
                yield ExitCode.FINDINGS;
            }
        };
    }

    private Optional<Consumer<UpgradeJournal.Snapshot>> restart(ProcedureListener listener) {
        return place.sandbox()
                .map(sandbox -> snapshot -> new NodeStart(sandbox, ThisMachine.processes(), InNode.commandLine(spec))
                        .fromSnapshot(Path.of(snapshot.file()), listener::did));
    }

    private void nameTheLoss(UpgradeJournal.Snapshot snapshot, OptionalLong now) {
        print("etcd would go back to " + snapshot.file() + ", saved " + snapshot.taken() + " (revision "
                + snapshot.revision() + ").\n"
                + "Lost is everything that was written since, "
                + (now.isPresent()
                        ? Math.max(0, now.getAsLong() - snapshot.revision()) + " revisions up to " + now.getAsLong()
                        : "nobody can say how much: the API does not answer")
                + ": objects, Leases, Events and status of every kind.\n"
                + "What runs on the nodes and is not in the snapshot ends. Kubelets that are newer than the API server of before go back"
                + " first, as far as an API server answers.\n"
                + "If that is meant, run it again with --accept-loss " + snapshot.revision() + "\n");
    }

    private void sayWhatToRun(UpgradeJournal.Snapshot snapshot, Path before) {
        Path assets = place.assets();
        print("Kubelets that are newer than the API server of before go back first: ouro kubelet rollback.\n"
                + "Turn off the machines of other control-plane nodes, or reset them: their API servers would go on with what is lost. They join again"
                + " afterwards.\n"
                + "Give the asset directory its manifests of before the upgrade, and render's list of them:\n"
                + "  rm -rf " + assets + "/manifests " + assets + "/bootstrap-manifests\n"
                + "  cp -a " + before + "/. " + assets + "/\n"
                + "On the node that runs etcd, with that asset directory and the snapshot there:\n"
                + "  ouro start --asset-dir ASSETS --etcd-snapshot " + snapshot.file() + " --discard-etcd\n"
                + "When that is done, end the record of the upgrade, else it would be taken back again:\n"
                + "  rm " + assets + "/.ouroboros/upgrade.json\n");
    }

    private void print(String text) {
        PrintWriter out = spec.commandLine().getOut();
        out.print(text);
        out.flush();
    }
}
