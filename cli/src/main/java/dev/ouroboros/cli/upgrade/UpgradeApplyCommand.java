package dev.ouroboros.cli.upgrade;

import dev.ouroboros.cli.cluster.EtcdOptions;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.cluster.AcceptanceCheck;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.etcd.SavedSnapshot;
import dev.ouroboros.etcd.SnapshotName;
import dev.ouroboros.etcd.SnapshotSaver;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.render.RenderRequest;
import dev.ouroboros.render.Rendered;
import dev.ouroboros.render.Renderer;
import dev.ouroboros.render.cluster.ClusterSpec;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.upgrade.apply.ApplyApi;
import dev.ouroboros.upgrade.apply.ApplyListener;
import dev.ouroboros.upgrade.apply.AssetDirectoryTasks;
import dev.ouroboros.upgrade.apply.ClusterApplyApi;
import dev.ouroboros.upgrade.apply.Hooks;
import dev.ouroboros.upgrade.apply.ImagePulls;
import dev.ouroboros.upgrade.apply.NamedManifests;
import dev.ouroboros.upgrade.apply.Upgrade;
import dev.ouroboros.upgrade.apply.UpgradeJournal;
import dev.ouroboros.upgrade.apply.UpgradeJournalFile;
import dev.ouroboros.upgrade.decide.Release;
import dev.ouroboros.upgrade.decide.UpgradeMilestone;
import dev.ouroboros.upgrade.decide.UpgradePlan;
import dev.ouroboros.upgrade.plan.PlanText;
import dev.ouroboros.upgrade.plan.TargetDocument;
import dev.ouroboros.upgrade.plan.UpgradePlanner;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro upgrade apply}. */
@Command(
        name = "apply",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Brings a cluster to another version, or to a Cluster document that was changed: saves etcd, renders the asset directory, changes"
                    + " one component after the other and waits for each. What was changed in the cluster stays.",
            "Killed at any moment it goes on when it is run again; without TARGET and --config too."
        },
        footer = {
            "",
            "Examples:",
            "  ouro upgrade apply 1.21.0 --config cluster.yaml --asset-dir ./assets --snapshot-dir /backup",
            "  ouro upgrade apply 1.36.3 --emulated-version 1.35 --name default --binaries ./kubernetes-1.36.3",
            "  ouro upgrade apply --name default --config changed.yaml"
        })
final class UpgradeApplyCommand implements Callable<Integer> {
    private static final Duration ACCEPTANCE = Duration.ofSeconds(60);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private final UpgradeTarget target = new UpgradeTarget();

    @Option(
            names = "--snapshot-dir",
            paramLabel = "DIR",
            description = "Where etcd is saved to before anything is changed (default: a sandbox's own directory).")
    private Optional<Path> snapshotDirectory = Optional.empty();

    @Mixin
    private EtcdOptions etcd = new EtcdOptions();

    @Mixin
    private HookOptions hooks = new HookOptions();

    @Mixin
    private UpgradeWork work = new UpgradeWork();

    private final Disk disk = ThisMachine.disk();
    private final InstantSource clock = InstantSource.system();

    @Override
    public Integer call() {
        Path assets = target.place().assets();
        ApplyListener listener = work.listener(spec, clock);
        UpgradeJournalFile notebook = new UpgradeJournalFile(disk, assets);
        Renderer renderer = ThisMachine.renderer();
        Optional<RenderRequest> request = request(assets);
        Optional<Rendered> rendered = request.map(renderer::make);
        rendered.ifPresent(made -> requireUnedited(assets, made));
        requireSnapshotDirectory(notebook);
        if (isBlocked(notebook, renderer, rendered)) {
            return ExitCode.FINDINGS;
        }
        try (ClusterClient client = ClusterClient.connect(target.place().endpoint())) {
            ClusterApplyApi api = new ClusterApplyApi(client);
            Patience patience = new Patience(listener, work.timeout(), clock);
            Hooks asked = hooks.hooks(disk, ThisMachine.processes(), api, listener, patience, work.timeout());
            AssetDirectoryTasks deeds = new AssetDirectoryTasks(
                    disk,
                    assets,
                    notebook,
                    new AssetDirectoryTasks.Works(
                            journal -> save(
                                    journal, rendered.map(Rendered::cluster).orElseThrow(), assets, listener),
                            (mark, journal) -> asked.run(mark == UpgradeMilestone.HOOKED_BEFORE, journal),
                            images(api, listener, patience),
                            () -> request.ifPresent(renderer::render),
                            ownDocument(),
                            () -> new AcceptanceCheck(client, ACCEPTANCE).run()));
            Upgrade upgrade = new Upgrade(notebook, api, listener, patience, clock);
            return work.tell(
                    upgrade.apply(wanted(rendered, client), deeds),
                    "the asset directory says already what is asked for",
                    spec);
        }
    }

    private Upgrade.Request wanted(Optional<Rendered> rendered, ClusterClient client) {
        Release from = Release.of(new ClusterReader(client).require("/version"));
        return new Upgrade.Request(
                rendered.map(UpgradeApplyCommand::manifests),
                differs(rendered),
                from.toString(),
                rendered.map(made -> new Release(
                                made.cluster().version().number(),
                                made.cluster().emulatedVersion()))
                        .orElse(from)
                        .toString(),
                work.choice());
    }

    private static boolean differs(Optional<Rendered> rendered) {
        return rendered.filter(
                        made -> !made.different().isEmpty() || !made.obsolete().isEmpty())
                .isPresent();
    }

    private Consumer<NamedManifests> images(ApplyApi api, ApplyListener listener, Patience patience) {
        return target.place()
                .sandbox()
                .<Consumer<NamedManifests>>map(
                        sandbox -> new UpgradeImages(sandbox, target.binaries(), listener)::require)
                .orElseGet(() -> new ImagePulls(api, listener, patience)::run);
    }

    private static NamedManifests manifests(Rendered made) {
        Map<String, String> texts = new TreeMap<>();
        made.assets().forEach(asset -> texts.put(asset.path(), asset.text()));
        return NamedManifests.of(texts);
    }

    private Optional<RenderRequest> request(Path assets) {
        return document().map(document -> document.request(assets, target.wanted()));
    }

    private Optional<TargetDocument> document() {
        if (!target.isGiven()) {
            return Optional.empty();
        }
        return Optional.of(TargetDocument.read(
                disk,
                target.config()
                        .orElseThrow(() -> ProblemException.of(
                                ErrorCode.BAD_USAGE,
                                "--config",
                                "is missing",
                                "the Cluster document that the asset directory was rendered from",
                                "add --config FILE; a sandbox (--name) has one of its own"))));
    }

    /**
     * A plan that nothing stands against is what an upgrade begins with. One that is under way has begun; what a living cluster cannot take
     * is refused of another target on the way too.
     */
    private boolean isBlocked(UpgradeJournalFile notebook, Renderer renderer, Optional<Rendered> rendered) {
        boolean isOpen = notebook.read()
                .filter(journal -> !journal.isDone(UpgradeMilestone.DONE))
                .isPresent();
        if (!target.isGiven() || (isOpen && !differs(rendered))) {
            return false;
        }
        UpgradePlan all = new UpgradePlanner(disk, ThisMachine.processes(), renderer, clock)
                .plan(target.request(Optional.empty(), false));
        UpgradePlan plan = isOpen ? all.ofLivingCluster() : all;
        if (plan.isBlocked()) {
            spec.commandLine().getErr().print(PlanText.findings(plan));
            spec.commandLine().getErr().println("nothing was changed; 'ouro upgrade plan' says more");
            spec.commandLine().getErr().flush();
        }
        return plan.isBlocked();
    }

    private static void requireUnedited(Path assets, Rendered made) {
        if (!made.edited().isEmpty()) {
            throw new ProblemException(made.edited().stream()
                    .map(path -> new Problem(
                            ErrorCode.EDITED_FILE,
                            assets.resolve(path).toString(),
                            "was edited since it was rendered, and would be replaced",
                            "",
                            "make the change in the Cluster document, or in the cluster, where it stays"))
                    .toList());
        }
    }

    private Optional<AssetDirectoryTasks.Document> ownDocument() {
        return target.place()
                .sandbox()
                .map(known -> new AssetDirectoryTasks.Document(
                        known.paths().clusterDocument(), document().map(found -> found.text(target.wanted()))));
    }

    /** Asked before anything begins. An upgrade that is under way has its snapshot; without a target there is no other to go on with. */
    private void requireSnapshotDirectory(UpgradeJournalFile notebook) {
        boolean isSaved = notebook.read().filter(UpgradeJournal::isUnderWay).isPresent();
        if (target.isGiven()
                && snapshotDirectory.isEmpty()
                && target.place().sandbox().isEmpty()
                && !isSaved) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--snapshot-dir",
                    "is missing",
                    "a directory that outlives this cluster",
                    "etcd is saved there before anything is changed");
        }
    }

    private UpgradeJournal.Snapshot save(
            UpgradeJournal journal, ClusterSpec cluster, Path assets, ApplyListener listener) {
        Path directory = snapshotDirectory
                .or(() -> target.place()
                        .sandbox()
                        .map(known -> known.paths().directory().resolve("snapshots")))
                .orElseThrow();
        disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
        listener.did("saving etcd to " + directory);
        SavedSnapshot saved = new SnapshotSaver(disk, clock)
                .save(
                        servers(cluster, assets),
                        new SnapshotName(directory.resolve("before-upgrade-" + journal.id() + ".db")),
                        OptionalInt.empty());
        long revision = saved.inspection().status().revision();
        listener.did("etcd is saved: " + saved.file() + ", revision " + revision);
        return new UpgradeJournal.Snapshot(saved.file().toString(), revision, clock.instant());
    }

    /** As they are named, else a sandbox's, else those of the document with our keys to them. */
    private EtcdServers servers(ClusterSpec cluster, Path assets) {
        if (etcd.given()) {
            return etcd.servers();
        }
        Optional<Sandbox> sandbox = target.place().sandbox();
        if (sandbox.isPresent()) {
            return EtcdOptions.of(sandbox.get());
        }
        return EtcdServers.ofAssets(cluster.etcd().servers(), assets);
    }
}
