package dev.ouroboros.upgrade.run;

import dev.ouroboros.change.KubeletRolling;
import dev.ouroboros.change.decide.KubeletManner;
import dev.ouroboros.cluster.AcceptanceCheck;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.etcd.SavedSnapshot;
import dev.ouroboros.etcd.SnapshotName;
import dev.ouroboros.etcd.SnapshotSaver;
import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.render.RenderRequest;
import dev.ouroboros.render.Rendered;
import dev.ouroboros.render.Renderer;
import dev.ouroboros.render.cluster.ClusterSpec;
import dev.ouroboros.upgrade.apply.AssetDirectoryTasks;
import dev.ouroboros.upgrade.apply.AssetDirectoryTasks.OutsideTasks;
import dev.ouroboros.upgrade.apply.ClusterApplyApi;
import dev.ouroboros.upgrade.apply.Hooks;
import dev.ouroboros.upgrade.apply.ImagePulls;
import dev.ouroboros.upgrade.apply.NamedManifests;
import dev.ouroboros.upgrade.apply.Upgrade;
import dev.ouroboros.upgrade.apply.UpgradeJournal;
import dev.ouroboros.upgrade.apply.UpgradeJournalFile;
import dev.ouroboros.upgrade.decide.Direction;
import dev.ouroboros.upgrade.decide.EtcdMembership;
import dev.ouroboros.upgrade.decide.Release;
import dev.ouroboros.upgrade.decide.UpgradeMilestone;
import dev.ouroboros.upgrade.decide.UpgradePlan;
import dev.ouroboros.upgrade.merge.Preference;
import dev.ouroboros.upgrade.plan.TargetDocument;
import dev.ouroboros.upgrade.plan.UpgradePlanner;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Brings a cluster to what somebody asks for, and back. An upgrade begins when nothing stands against its plan: it is rendered, refused where
 * somebody edited what would be replaced, planned, and carried out with etcd saved first. Killed anywhere, the next run goes on.
 *
 * @param limit how long one thing is waited for
 */
public record ClusterUpgrade(
        Site site,
        Disk disk,
        Processes processes,
        Renderer renderer,
        InstantSource clock,
        ProcedureListener listener,
        Duration limit) {
    private static final Duration ACCEPTANCE = Duration.ofSeconds(60);
    private static final String ANY_LIST = "/api/v1/namespaces?limit=1";
    private static final String API_SERVER =
            "/apis/apps/v1/namespaces/kube-system/daemonsets/" + Component.API_SERVER.id();

    /**
     * The cluster whose version is changed.
     *
     * @param assets the asset directory that it was made from
     * @param api where it is asked; looked for when what is wrong with the target has been said
     * @param document the Cluster document that belongs to the directory and is kept and changed with it
     */
    public record Site(Path assets, Supplier<Endpoint> api, Optional<Path> document) {}

    /** What came of an upgrade. */
    public sealed interface Applied {
        record Ended(Upgrade.Outcome outcome) implements Applied {}

        /** Nothing was done: something stands against the plan. */
        record Blocked(UpgradePlan plan) implements Applied {}
    }

    /** What came of taking an upgrade back. */
    public sealed interface TakenBack {
        /** By the manifests of before. */
        record ByManifests(Upgrade.Outcome outcome) implements TakenBack {}

        /** By the snapshot of before; the journal says to what version. */
        record BySnapshot(UpgradeJournal.Snapshot snapshot, UpgradeJournal journal) implements TakenBack {}

        /** Only the snapshot leads back, and nobody has accepted what is lost up to etcd's revision now, if the API tells it. Nothing was done. */
        record LossNotAccepted(UpgradeJournal.Snapshot snapshot, OptionalLong now) implements TakenBack {}

        /**
         * Only the snapshot leads back, and etcd's node is not at hand. Nothing was done.
         *
         * @param before the manifests of before, as they are kept in the asset directory
         */
        record NodeElsewhere(UpgradeJournal.Snapshot snapshot, Path before) implements TakenBack {}
    }

    /** A target as it was read and rendered, and nothing written. */
    private record Made(TargetDocument document, RenderRequest request, Rendered rendered) {
        Release release() {
            ClusterSpec cluster = rendered.cluster();
            return new Release(cluster.version().number(), cluster.emulatedVersion());
        }
    }

    /**
     * Forward, or on.
     *
     * @throws ProblemException with what is wrong; what was done stays, and the next run goes on from there
     */
    public Applied apply(UpgradeOrder order) {
        Optional<Made> made = order.target().map(this::make);
        made.ifPresent(this::requireUnedited);
        requireSnapshotDirectory(order);
        Optional<UpgradePlan> blocked = blocked(order, made);
        if (blocked.isPresent()) {
            return new Applied.Blocked(blocked.get());
        }
        try (ClusterClient client = ClusterClient.connect(site.api().get())) {
            ClusterApplyApi api = new ClusterApplyApi(client);
            Patience patience = new Patience(listener, limit, clock);
            Hooks hooks = new Hooks(order.before(), order.after(), disk, processes, api, listener, patience, limit);
            OutsideTasks outside = new OutsideTasks(
                    journal -> save(
                            journal, order.etcd(), made.orElseThrow().rendered().cluster()),
                    (mark, journal) -> hooks.run(mark == UpgradeMilestone.HOOKED_BEFORE, journal),
                    order.images()
                            .<Consumer<NamedManifests>>map(require -> target -> require.accept(target.images()))
                            .orElseGet(() -> new ImagePulls(api, listener, patience)::run),
                    () -> made.map(Made::request).ifPresent(renderer::render),
                    document(() -> order.target()
                            .flatMap(
                                    target -> made.map(found -> found.document().text(target.wanted())))),
                    journal -> accept(client, journal));
            Release from = Release.of(new ClusterReader(client).require("/version"));
            KubeletsUpgrade kubelets = new KubeletsUpgrade(client, listener, limit, clock);
            order.kubelets().ifPresent(wished -> kubelets.require(wished, made.map(Made::release)));
            Upgrade.Request request = new Upgrade.Request(
                    made.map(Made::rendered).map(NamedManifests::of),
                    made.map(Made::rendered).filter(Rendered::differs).isPresent(),
                    from.toString(),
                    made.map(Made::release).orElse(from).toString(),
                    order.choice(),
                    Hooks.options(order.after()));
            Upgrade upgrade = new Upgrade(journalFile(), api, listener, patience, clock);
            boolean isOnlyKubelets = made.isEmpty()
                    && order.kubelets().isPresent()
                    && upgrade.last().filter(ClusterUpgrade::isForwardAndDone).isPresent();
            return new Applied.Ended(
                    isOnlyKubelets
                            ? new Upgrade.Outcome(upgrade.last(), Map.of(), List.of(), true)
                            : upgrade.apply(request, tasks(outside)));
        }
    }

    private static Optional<Problem> accept(ClusterClient client, UpgradeJournal journal) {
        return new AcceptanceCheck(client, ACCEPTANCE)
                .run()
                .or(() -> otherVersion(Release.of(new ClusterReader(client).require("/version")), journal.to()));
    }

    /** An image is not always of the version that it is called, or that its digest was taken for. */
    static Optional<Problem> otherVersion(Release now, String wanted) {
        return now.isOfAnotherVersion(Release.parse(wanted))
                ? Optional.of(new Problem(
                        ErrorCode.COMPONENT_FAILED,
                        Component.API_SERVER.id(),
                        "is " + now.version() + " when all is changed",
                        "one of " + wanted,
                        "name an image of that version in the Cluster document, spec.images."
                                + Component.API_SERVER.field()
                                + ", and run the same command again; or 'ouro upgrade rollback'"))
                : Optional.empty();
    }

    private static boolean isForwardAndDone(UpgradeJournal journal) {
        return journal.direction() == Direction.FORWARD && journal.isDone(UpgradeMilestone.DONE);
    }

    /**
     * Every node's kubelet, once {@link #apply} has ended without a conflict. Run again it goes on.
     *
     * @throws ProblemException as {@link KubeletRolling#set}
     */
    public void applyKubelets(UpgradeOrder.Kubelets kubelets) {
        try (ClusterClient client = ClusterClient.connect(site.api().get())) {
            new KubeletsUpgrade(client, listener, limit, clock)
                    .forward(kubelets, Release.of(new ClusterReader(client).require("/version")));
        }
    }

    private Made make(UpgradeOrder.Target target) {
        TargetDocument document = TargetDocument.read(disk, target.requiredDocument());
        RenderRequest request = document.request(site.assets(), target.wanted());
        return new Made(document, request, renderer.make(request));
    }

    private void requireUnedited(Made made) {
        List<Problem> edited = UpgradePlanner.edited(site.assets(), made.rendered());
        if (!edited.isEmpty()) {
            throw new ProblemException(edited);
        }
    }

    /** Asked before anything begins. An upgrade that is under way has its snapshot; without a target there is no other to go on with. */
    private void requireSnapshotDirectory(UpgradeOrder order) {
        boolean isSaved =
                journalFile().read().filter(UpgradeJournal::isUnderWay).isPresent();
        if (order.target().isPresent() && order.etcd().directory().isEmpty() && !isSaved) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--snapshot-dir",
                    "is missing",
                    "a directory that outlives this cluster",
                    "etcd is saved there before anything is changed");
        }
    }

    /**
     * A plan that nothing stands against is what an upgrade begins with. One that is under way has begun; what a living cluster cannot take,
     * and a target that its API servers have no way to, is refused of another target on the way too.
     */
    private Optional<UpgradePlan> blocked(UpgradeOrder order, Optional<Made> made) {
        Optional<UpgradeJournal> open = journalFile().read().filter(journal -> !journal.isDone(UpgradeMilestone.DONE));
        if (made.isEmpty() || (open.isPresent() && !made.get().rendered().differs())) {
            return Optional.empty();
        }
        UpgradePlan all = new UpgradePlanner(disk, processes, renderer, clock)
                .plan(order.plan().get());
        boolean isUnderWay = open.filter(UpgradeJournal::isUnderWay).isPresent();
        return Optional.of(isUnderWay ? all.ofLivingCluster() : all).filter(UpgradePlan::isBlocked);
    }

    private UpgradeJournal.Snapshot save(UpgradeJournal journal, UpgradeOrder.EtcdSaving saving, ClusterSpec cluster) {
        Path directory = saving.directory().orElseThrow();
        disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
        listener.did("saving etcd to " + directory);
        EtcdServers servers = saving.servers()
                .map(Supplier::get)
                .orElseGet(() -> EtcdServers.ofAssets(cluster.etcd().servers(), site.assets()));
        SavedSnapshot saved = new SnapshotSaver(disk, clock)
                .save(
                        servers,
                        new SnapshotName(directory.resolve("before-upgrade-" + journal.id() + ".db")),
                        new SnapshotRetention.All());
        long revision = saved.inspection().status().revision();
        listener.did("etcd is saved: " + saved.file() + ", revision " + revision);
        return new UpgradeJournal.Snapshot(saved.file().toString(), revision, clock.instant());
    }

    /**
     * Takes the last upgrade back: with the manifests of before, or, across minor versions and when {@code toSnapshot}, with the snapshot.
     * An etcd of several members is not put back: that is refused before anything is done.
     *
     * @param choice as of an upgrade
     * @param kubelets how one node follows the other, where a kubelet is newer than what the API servers become: those go back first; empty to leave them
     * @param accepted the revision of the snapshot when its loss is accepted
     * @param restart puts etcd back to a snapshot and starts the cluster; empty when its node is not at hand
     */
    public TakenBack takeBack(
            Optional<Preference> choice,
            Optional<KubeletManner> kubelets,
            boolean toSnapshot,
            OptionalLong accepted,
            Optional<Consumer<UpgradeJournal.Snapshot>> restart) {
        try (ClusterClient client = ClusterClient.connect(site.api().get())) {
            ClusterApplyApi api = new ClusterApplyApi(client);
            Upgrade upgrade = new Upgrade(journalFile(), api, listener, new Patience(listener, limit, clock), clock);
            AssetDirectoryTasks tasks = tasks(new OutsideTasks(
                    journal -> journal.snapshot().orElseThrow(),
                    (_, _) -> {},
                    _ -> {},
                    () -> {},
                    document(Optional::empty),
                    journal -> accept(client, journal)));
            Optional<UpgradeJournal> last = upgrade.last();
            boolean isBySnapshot = last.filter(UpgradeJournal::isBySnapshot).isPresent();
            // Done again it would lose what was written since: the other way back says that there is nothing left to
            // do.
            boolean isOver = isBySnapshot && last.get().isDone(UpgradeMilestone.DONE);
            if (last.isEmpty() || isOver || !(toSnapshot || isBySnapshot || isAcrossMinors(last.get()))) {
                return new TakenBack.ByManifests(
                        upgrade.rollback(choice, journal -> kubeletsBack(client, journal, kubelets), tasks));
            }
            UpgradeJournal.Snapshot snapshot = last.get().snapshot().orElseThrow(ClusterUpgrade::notSaved);
            EtcdMembership.requireOne(apiServers(client));
            if (!accepted.equals(OptionalLong.of(snapshot.revision()))) {
                return new TakenBack.LossNotAccepted(snapshot, revision(new ClusterReader(client)));
            }
            if (restart.isEmpty()) {
                return new TakenBack.NodeElsewhere(snapshot, journalFile().before(last.get(), 0));
            }
            // One that was interrupted may have no API server any more; then they went back before.
            Consumer<UpgradeJournal> first =
                    isBySnapshot ? _ -> {} : journal -> kubeletsBack(client, journal, kubelets);
            UpgradeJournal back =
                    upgrade.restore(first, tasks, () -> restart.get().accept(snapshot));
            return new TakenBack.BySnapshot(snapshot, back);
        }
    }

    /** The API servers of the asset directory, and of the cluster where one answers: a member that joined since is in no manifest of the directory. */
    private List<Manifest> apiServers(ClusterClient client) {
        List<Manifest> all =
                new ArrayList<>(NamedManifests.read(disk, site.assets()).manifests());
        if (new ClusterReader(client).get(API_SERVER) instanceof Evidence.Known<Json>(Json live)) {
            all.add(new Manifest("API", live));
        }
        return all;
    }

    private void kubeletsBack(ClusterClient client, UpgradeJournal journal, Optional<KubeletManner> manner) {
        boolean answers = new ClusterReader(client).get("/version") instanceof Evidence.Known<Json>;
        if (manner.isPresent() && answers) {
            new KubeletsUpgrade(client, listener, limit, clock).back(Release.parse(journal.from()), manner.get());
        } else if (manner.isPresent()) {
            // What was wished of kubelets then is wished again once etcd is what it was.
            listener.did("no API server answers: kubelets that are newer go back when the one of before serves");
        }
    }

    private static boolean isAcrossMinors(UpgradeJournal journal) {
        return Release.parse(journal.to()).isOfAnotherMinor(Release.parse(journal.from()));
    }

    private static ProblemException notSaved() {
        return ProblemException.of(
                ErrorCode.NOT_FOUND,
                "snapshot",
                "etcd was not saved yet when the upgrade was interrupted",
                "",
                "nothing was changed in the cluster yet, so nothing is to be gone back from; 'ouro upgrade apply' goes on");
    }

    private static OptionalLong revision(ClusterReader reader) {
        return reader.get(ANY_LIST) instanceof Evidence.Known<Json>(Json list)
                ? list.at("metadata", "resourceVersion").text().stream()
                        .filter(text -> text.matches("\\d{1,18}"))
                        .mapToLong(Long::parseLong)
                        .findFirst()
                : OptionalLong.empty();
    }

    private UpgradeJournalFile journalFile() {
        return new UpgradeJournalFile(disk, site.assets());
    }

    private AssetDirectoryTasks tasks(OutsideTasks outside) {
        return new AssetDirectoryTasks(disk, site.assets(), journalFile(), outside);
    }

    private Optional<AssetDirectoryTasks.Document> document(Supplier<Optional<String>> text) {
        return site.document().map(file -> new AssetDirectoryTasks.Document(file, text.get()));
    }
}
