package dev.ouroboros.cli.upgrade;

import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.InNode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.cluster.AcceptanceCheck;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.up.NodeStart;
import dev.ouroboros.upgrade.apply.ApplyListener;
import dev.ouroboros.upgrade.apply.AssetDirectoryTasks;
import dev.ouroboros.upgrade.apply.ClusterApplyApi;
import dev.ouroboros.upgrade.apply.Upgrade;
import dev.ouroboros.upgrade.apply.UpgradeJournal;
import dev.ouroboros.upgrade.apply.UpgradeJournalFile;
import dev.ouroboros.upgrade.decide.Release;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
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
                    + " changed in the cluster since stays. Killed at any moment it goes on when it is run again.",
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
    private static final Duration ACCEPTANCE = Duration.ofSeconds(60);
    private static final Duration START = Duration.ofMinutes(15);
    private static final String ANY_LIST = "/api/v1/namespaces?limit=1";

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

    @Mixin
    private UpgradeWork work = new UpgradeWork();

    private final Disk disk = ThisMachine.disk();
    private final InstantSource clock = InstantSource.system();

    @Override
    public Integer call() {
        Path assets = place.assets();
        UpgradeJournalFile notebook = new UpgradeJournalFile(disk, assets);
        ApplyListener listener = work.listener(spec, clock);
        try (ClusterClient client = ClusterClient.connect(place.endpoint())) {
            ClusterApplyApi api = new ClusterApplyApi(client);
            Patience patience = new Patience(listener, work.timeout(), clock);
            Upgrade upgrade = new Upgrade(notebook, api, listener, patience, clock);
            AssetDirectoryTasks deeds = deeds(assets, notebook, client);
            Optional<UpgradeJournal> last = upgrade.last();
            return last.isPresent() && (toSnapshot || isAcrossMinors(last.get()))
                    ? restore(last.get(), upgrade, deeds, client, listener)
                    : work.tell(upgrade.rollback(work.choice(), deeds), "the last upgrade is taken back already", spec);
        }
    }

    private AssetDirectoryTasks deeds(Path assets, UpgradeJournalFile notebook, ClusterClient client) {
        Supplier<Optional<Problem>> accept = () -> new AcceptanceCheck(client, ACCEPTANCE).run();
        return new AssetDirectoryTasks(
                disk,
                assets,
                notebook,
                new AssetDirectoryTasks.Works(
                        journal -> journal.snapshot().orElseThrow(),
                        (_, _) -> {},
                        _ -> {},
                        () -> {},
                        place.sandbox()
                                .map(known -> new AssetDirectoryTasks.Document(
                                        known.paths().clusterDocument(), Optional.empty())),
                        accept));
    }

    private static boolean isAcrossMinors(UpgradeJournal journal) {
        return Release.parse(journal.to()).isOfAnotherMinor(Release.parse(journal.from()));
    }

    private int restore(
            UpgradeJournal journal,
            Upgrade upgrade,
            AssetDirectoryTasks deeds,
            ClusterClient client,
            ApplyListener listener) {
        UpgradeJournal.Snapshot snapshot = journal.snapshot()
                .orElseThrow(
                        () -> ProblemException.of(
                                ErrorCode.NOT_FOUND,
                                "snapshot",
                                "etcd was not saved yet when the upgrade was interrupted",
                                "",
                                "nothing was changed in the cluster yet, so nothing is to be gone back from; 'ouro upgrade apply' goes on"));
        if (accepted == null || accepted != snapshot.revision()) {
            nameTheLoss(snapshot, new ClusterReader(client));
            return ExitCode.FINDINGS;
        }
        Optional<Sandbox> sandbox = place.sandbox();
        if (sandbox.isEmpty()) {
            sayWhatToRun(snapshot);
            return ExitCode.FINDINGS;
        }
        upgrade.restore(deeds, () -> start(sandbox.get(), snapshot, listener));
        print("done: etcd is at revision " + snapshot.revision() + " of " + snapshot.taken() + "\n");
        return ExitCode.DONE;
    }

    private void nameTheLoss(UpgradeJournal.Snapshot snapshot, ClusterReader reader) {
        OptionalLong now = reader.get(ANY_LIST) instanceof Evidence.Known<Json>(Json list)
                ? list.at("metadata", "resourceVersion").text().stream()
                        .filter(text -> text.matches("\\d{1,18}"))
                        .mapToLong(Long::parseLong)
                        .findFirst()
                : OptionalLong.empty();
        print("etcd would go back to " + snapshot.file() + ", saved " + snapshot.taken() + " (revision "
                + snapshot.revision() + ").\n"
                + "Lost is everything that was written since, "
                + (now.isPresent()
                        ? Math.max(0, now.getAsLong() - snapshot.revision()) + " revisions up to " + now.getAsLong()
                        : "nobody can say how much: the API does not answer")
                + ": objects, Leases, Events and status of every kind.\n"
                + "What runs on the nodes and is not in the snapshot ends. A kubelet that is newer than the API server of before has to"
                + " be put back first.\n"
                + "If that is meant, run it again with --accept-loss " + snapshot.revision() + "\n");
    }

    private void sayWhatToRun(UpgradeJournal.Snapshot snapshot) {
        print("On the control-plane node, with the asset directory of before the upgrade ("
                + place.assets() + "/.ouroboros/upgrade keeps its manifests) and the snapshot there:\n"
                + "  ouro start --asset-dir ASSETS --etcd-snapshot " + snapshot.file() + " --discard-etcd\n");
    }

    private void start(Sandbox sandbox, UpgradeJournal.Snapshot snapshot, ApplyListener listener) {
        new NodeStart(sandbox, ThisMachine.processes(), InNode.commandLine(spec))
                .run(
                        sandbox.node().orElseThrow(),
                        List.of(
                                "--etcd-snapshot",
                                NodeLayout.ofHostFile(Path.of(snapshot.file())).toString(),
                                "--discard-etcd"),
                        START,
                        listener::did,
                        "run the same command again, which goes on");
    }

    private void print(String text) {
        PrintWriter out = spec.commandLine().getOut();
        out.print(text);
        out.flush();
    }
}
