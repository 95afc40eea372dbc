package dev.ouroboros.upgrade.plan;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.etcd.EtcdVersion;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.render.RenderRequest;
import dev.ouroboros.render.Rendered;
import dev.ouroboros.render.Renderer;
import dev.ouroboros.render.lint.ManifestFile;
import dev.ouroboros.upgrade.apply.ClusterApplyApi;
import dev.ouroboros.upgrade.apply.NamedManifests;
import dev.ouroboros.upgrade.apply.Prospect;
import dev.ouroboros.upgrade.apply.Upgrade;
import dev.ouroboros.upgrade.apply.UpgradeJournalFile;
import dev.ouroboros.upgrade.decide.ClusterSeen;
import dev.ouroboros.upgrade.decide.ClusterSeen.Stored;
import dev.ouroboros.upgrade.decide.Direction;
import dev.ouroboros.upgrade.decide.DocumentChange;
import dev.ouroboros.upgrade.decide.Intent;
import dev.ouroboros.upgrade.decide.Intent.Program;
import dev.ouroboros.upgrade.decide.ObjectName;
import dev.ouroboros.upgrade.decide.Planner;
import dev.ouroboros.upgrade.decide.UpgradeMilestone;
import dev.ouroboros.upgrade.decide.UpgradePlan;
import dev.ouroboros.upgrade.merge.Conflict;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Looks at a cluster, at what it was made from and at what it is to become, and has the upgrade planned. Reads only: the target is
 * rendered in memory, and its programs are asked for their help.
 */
public final class UpgradePlanner {
    private static final Map<String, Component> PARTS = Map.of(
            AssetLayout.API_SERVER, Component.API_SERVER,
            AssetLayout.CONTROLLER_MANAGER, Component.CONTROLLER_MANAGER,
            AssetLayout.SCHEDULER, Component.SCHEDULER,
            AssetLayout.PROXY, Component.PROXY,
            AssetLayout.KEEPER, Component.KEEPER);

    private final Disk disk;
    private final Processes processes;
    private final Renderer renderer;
    private final InstantSource clock;

    public UpgradePlanner(Disk disk, Processes processes, Renderer renderer, InstantSource clock) {
        this.disk = disk;
        this.processes = processes;
        this.renderer = renderer;
        this.clock = clock;
    }

    /**
     * Plans.
     *
     * @throws ProblemException when the API server does not answer, or nothing says which version is wanted
     */
    public UpgradePlan plan(PlanRequest request) {
        Asked asked = asked(request);
        try (ClusterClient client = ClusterClient.connect(request.api())) {
            ClusterSeen seen = look(request, client);
            return plan(asked, seen, conflicts(asked, client));
        }
    }

    UpgradePlan plan(Asked asked, ClusterSeen seen, Evidence<Map<ObjectName, List<Conflict>>> conflicts) {
        return Planner.plan(seen, intent(asked, seen, conflicts));
    }

    /** What is known before the cluster is asked. */
    record Asked(
            PlanRequest request,
            Optional<TargetDocument> document,
            KubernetesVersion target,
            Evidence<List<Manifest>> base,
            Optional<Rendering> rendering) {}

    Asked asked(PlanRequest request) {
        Optional<TargetDocument> document = request.config().map(file -> TargetDocument.read(disk, file));
        return new Asked(
                request,
                document,
                target(request, document),
                base(request),
                document.flatMap(found -> request.assetDirectory()
                        .map(directory -> rendering(found.request(directory, request.wanted())))));
    }

    private static KubernetesVersion target(PlanRequest request, Optional<TargetDocument> document) {
        KubernetesVersion target = request.wanted()
                .version()
                .or(() -> document.flatMap(TargetDocument::version))
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.BAD_USAGE,
                        "TARGET",
                        "is missing",
                        "a version as in 1.21.0, or --config",
                        "ouro upgrade plan 1.21.0 shows the way there"));
        if (!VersionFacts.supported().contains(target)) {
            throw ProblemException.of(
                    ErrorCode.UNSUPPORTED_VERSION,
                    "TARGET",
                    "no data for " + target,
                    "a version " + VersionFacts.supported().describe(),
                    "choose one of these, or use the ouro of a later release");
        }
        return target;
    }

    /** Refuses a directory without readable manifests: rendering would create new keys that do not fit the cluster. */
    private Evidence<List<Manifest>> base(PlanRequest request) {
        if (request.assetDirectory().isEmpty()) {
            return Evidence.unknown("no asset directory was given");
        }
        Evidence<List<Manifest>> base = ManifestFiles.of(
                disk, new UpgradeJournalFile(disk, request.assetDirectory().get()).made());
        if (base instanceof Unknown<List<Manifest>>(String why)) {
            throw ProblemException.of(
                    ErrorCode.INVALID_ASSET_DIRECTORY,
                    "--asset-dir",
                    why,
                    "the directory that the cluster was last made from",
                    "without one, leave the option out: less can be looked at then");
        }
        return base;
    }

    /** A target as it was rendered, or why it cannot be. */
    record Rendering(Optional<Rendered> made, List<Problem> problems) {
        boolean isDifferent() {
            return made.map(Rendered::differs).orElse(true);
        }
    }

    private Rendering rendering(RenderRequest request) {
        try {
            return new Rendering(Optional.of(renderer.make(request)), List.of());
        } catch (ProblemException e) {
            return new Rendering(Optional.empty(), e.problems());
        }
    }

    private ClusterSeen look(PlanRequest request, ClusterClient client) {
        ClusterLook look = new ClusterLook(client);
        Evidence<KubernetesVersion> version = look.version();
        if (version instanceof Unknown<KubernetesVersion>(String why)) {
            throw ProblemException.of(ErrorCode.API_UNAVAILABLE, client.server(), why, "", "ouro status");
        }
        Evidence<List<Json>> nodes = look.nodes();
        Evidence<List<Manifest>> workloads = look.workloads();
        return new ClusterSeen(
                clock.instant(),
                version,
                nodes,
                workloads,
                look.pods(),
                look.disruptionBudgets(version.orElse(KubernetesVersion.of(0, 0))),
                look.definitions(),
                look.requests(),
                look.summaries(nodes),
                etcd(request, workloads),
                Certificates.of(disk, request.assetDirectory(), request.nodeRoot()),
                stored(request));
    }

    /** Conflicts as apply finds them. */
    private Evidence<Map<ObjectName, List<Conflict>>> conflicts(Asked asked, ClusterClient client) {
        PlanRequest request = asked.request();
        Optional<Rendered> made = asked.rendering().flatMap(Rendering::made);
        if (!request.asksForConflicts()
                || made.isEmpty()
                || request.assetDirectory().isEmpty()) {
            return Evidence.known(Map.of());
        }
        try {
            return Evidence.known(new Prospect(
                            new UpgradeJournalFile(
                                    disk, request.assetDirectory().get()),
                            new ClusterApplyApi(client),
                            clock)
                    .conflicts(new Upgrade.Request(
                            Optional.of(NamedManifests.of(made.get())),
                            made.get().differs(),
                            "",
                            "",
                            Optional.empty(),
                            List.of())));
        } catch (ProblemException e) {
            return Evidence.unknown("what somebody changed in the cluster cannot be compared: " + e.describe());
        }
    }

    /** The version of the etcd that the API server uses, asked with the keys of the asset directory. */
    private static Evidence<KubernetesVersion> etcd(PlanRequest request, Evidence<List<Manifest>> workloads) {
        Optional<String> urls = workloads.orElse(List.of()).stream()
                .flatMap(workload -> workload.commandLine(Component.API_SERVER).value("etcd-servers").stream())
                .findFirst();
        if (urls.isEmpty() || request.assetDirectory().isEmpty()) {
            return Evidence.unknown("nobody can ask etcd without its address and the keys of an asset directory");
        }
        Path directory = request.assetDirectory().get();
        try {
            return EtcdVersion.read(EtcdServers.ofAssets(List.of(urls.get().split(",")), directory));
        } catch (ProblemException e) {
            return Evidence.unknown(e.describe());
        }
    }

    private static Evidence<List<Stored>> stored(PlanRequest request) {
        if (request.snapshot().isEmpty()) {
            return Evidence.unknown("in which versions objects are stored is read from a snapshot only");
        }
        return Evidence.known(request.snapshot().get().stored());
    }

    /** What somebody edited in an asset directory, and what is rendered would replace. */
    public static List<Problem> edited(Path assets, Rendered made) {
        return made.edited().stream()
                .map(path -> new Problem(
                        ErrorCode.EDITED_FILE,
                        assets.resolve(path).toString(),
                        "was edited since it was rendered, and would be replaced",
                        "",
                        "make the change in the Cluster document, or in the cluster, where it stays"))
                .toList();
    }

    private Intent intent(Asked asked, ClusterSeen seen, Evidence<Map<ObjectName, List<Conflict>>> conflicts) {
        PlanRequest request = asked.request();
        Optional<Rendering> rendering = asked.rendering();
        Optional<Rendered> made = rendering.flatMap(Rendering::made);
        Evidence<List<Manifest>> rendered = made.map(found -> Evidence.known(ManifestFiles.of(found.assets())))
                .orElseGet(() -> Evidence.unknown(
                        rendering.isPresent()
                                ? "it cannot be rendered"
                                : "no Cluster document and asset directory were given"));
        return new Intent(
                asked.target(),
                made.flatMap(found -> found.cluster().emulatedVersion()),
                asked.base(),
                rendered,
                rendering.map(Rendering::problems).orElse(List.of()),
                made.flatMap(found -> request.assetDirectory().map(directory -> edited(directory, found)))
                        .orElse(List.of()),
                made.map(Rendered::reissued).orElseGet(Collections::emptySortedMap),
                made.map(UpgradePlanner::changed).orElseGet(() -> EnumSet.copyOf(PARTS.values())),
                rendering.map(Rendering::isDifferent).orElse(true),
                request.isSandbox(),
                // One that serves as an older version is no newer server to a kubelet.
                request.hasKubelet()
                        && made.flatMap(found -> found.cluster().emulatedVersion())
                                .isEmpty(),
                programs(request, seen, rendered),
                asked.document().map(found -> change(found, request, made)).orElse(DocumentChange.NONE),
                underWay(request),
                conflicts);
    }

    /** The unfinished upgrade; told in a plan only, not in apply. */
    private Optional<String> underWay(PlanRequest request) {
        return request.assetDirectory()
                .filter(_ -> request.asksForConflicts())
                .flatMap(directory -> new UpgradeJournalFile(disk, directory).read())
                .filter(journal -> !journal.isDone(UpgradeMilestone.DONE))
                .map(journal -> (journal.direction() == Direction.BACK ? "a rollback from " : "an upgrade from ")
                        + journal.from() + " to " + journal.to() + " was begun at " + journal.begun()
                        + " and is not done");
    }

    private DocumentChange change(TargetDocument document, PlanRequest request, Optional<Rendered> made) {
        return new DocumentChange(
                document.settings(),
                request.assetDirectory()
                        .flatMap(directory -> disk.readText(directory.resolve(AssetLayout.ADMIN_KUBECONFIG)))
                        .flatMap(UpgradePlanner::server),
                made.flatMap(found -> found.assets().stream()
                        .filter(asset -> asset.path().equals(AssetLayout.ADMIN_KUBECONFIG))
                        .flatMap(asset -> server(asset.text()).stream())
                        .findFirst()));
    }

    private static Optional<String> server(String kubeconfig) {
        return ManifestFile.manifests(kubeconfig, AssetLayout.ADMIN_KUBECONFIG).stream()
                .flatMap(config -> config.at("clusters").items().stream())
                .flatMap(cluster -> cluster.at("cluster", "server").text().stream())
                .findFirst();
    }

    private static Set<Component> changed(Rendered made) {
        Set<Component> changed = EnumSet.noneOf(Component.class);
        made.different().stream().filter(PARTS::containsKey).forEach(path -> changed.add(PARTS.get(path)));
        return changed;
    }

    private Map<Component, Evidence<Program>> programs(
            PlanRequest request, ClusterSeen seen, Evidence<List<Manifest>> rendered) {
        Map<Component, Evidence<Program>> said = new EnumMap<>(Component.class);
        if (request.binaries().isEmpty()) {
            return said;
        }
        BinaryFlags binaries = new BinaryFlags(processes, request.binaries().get());
        for (Component component : PARTS.values()) {
            Set<String> flags = new TreeSet<>();
            Stream.concat(seen.workloads().orElse(List.of()).stream(), rendered.orElse(List.of()).stream())
                    .forEach(manifest ->
                            flags.addAll(manifest.commandLine(component).flags()));
            if (component.isKubernetes()) {
                said.put(component, binaries.ask(component, flags));
            }
        }
        return said;
    }
}
