package dev.ouroboros.render;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.asset.Asset;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.cluster.ClusterSpec;
import dev.ouroboros.render.config.ClusterChecks;
import dev.ouroboros.render.config.ClusterDocument;
import dev.ouroboros.render.config.Settings;
import dev.ouroboros.render.manifest.BootstrapToken;
import dev.ouroboros.render.manifest.ClusterManifests;
import dev.ouroboros.render.pki.ClusterPki;
import dev.ouroboros.render.pki.Issuer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Writes the asset directory of a cluster.
 *
 * <ol>
 *   <li>Read the configuration and every file it names; collect all mistakes.
 *   <li>Read the keys that the directory has; make what is missing or no longer fits.
 *   <li>Build all files in memory and compare them with the directory. If a person edited one of those that would change, stop.
 *   <li>Write what differs.
 * </ol>
 *
 * <p>Idempotent: the same request again changes nothing. Nothing is written before everything is known to be right.
 */
public final class Renderer {
    private final Disk disk;
    private final InstantSource clock;
    private final SecureRandom random;

    public Renderer(Disk disk, InstantSource clock, SecureRandom random) {
        this.disk = disk;
        this.clock = clock;
        this.random = random;
    }

    /**
     * Renders a cluster.
     *
     * @throws ProblemException with everything that is wrong with the input or the directory
     */
    public RenderReport render(RenderRequest request) {
        Made made = making(request);
        AssetDirectory.Changes changes = made.directory().compare(made.assets());
        if (!request.overwriteEdited()) {
            made.directory().refuseEdited(changes);
        }
        made.directory().apply(changes, made.assets());
        return report(request.assetDirectory(), made.cluster(), changes, made.pki(), made.token());
    }

    /**
     * Makes a cluster's assets and writes nothing. The directory's keys and certificates are used as far as they exist and fit; those that are new
     * differ from call to call.
     *
     * @throws ProblemException with everything that is wrong with the input or the directory
     */
    public Rendered make(RenderRequest request) {
        Made made = making(request);
        AssetDirectory.Changes changes = made.directory().compare(made.assets());
        return new Rendered(
                made.cluster(),
                made.assets(),
                changes.different().stream().map(Asset::path).toList(),
                changes.obsolete(),
                changes.edited(),
                made.pki().reissued());
    }

    private record Made(
            ClusterSpec cluster,
            AssetDirectory directory,
            List<Asset> assets,
            ClusterPki.Result pki,
            BootstrapToken token) {}

    private Made making(RenderRequest request) {
        List<Problem> problems = new ArrayList<>();
        Settings settings = settings(request, problems);
        ClusterChecks.Result checked = ClusterChecks.check(settings);
        checked.problems().stream()
                .filter(problem -> problems.stream().noneMatch(shape -> isOfTheSameField(shape, problem)))
                .toList()
                .forEach(problems::add);
        InputFiles inputs = new InputFiles(disk, baseOf(request), settings, clock, problems);
        InputFiles.Contents contents = inputs.read();
        ClusterSpec cluster =
                checked.cluster().filter(found -> problems.isEmpty()).orElseThrow(() -> new ProblemException(problems));
        return making(cluster, contents, request);
    }

    /** Whether a missing field is the one whose value has the wrong shape: one mistake is not reported twice. */
    private static boolean isOfTheSameField(Problem shape, Problem missing) {
        return shape.where().endsWith(" " + missing.where());
    }

    private Made making(ClusterSpec cluster, InputFiles.Contents contents, RenderRequest request) {
        VersionFacts facts = VersionFacts.of(cluster.version());
        AssetDirectory directory = new AssetDirectory(disk, request.assetDirectory());
        SecretMaterial material = new SecretMaterial(cluster, facts, directory, random);
        ClusterPki.Result pki = new ClusterPki(
                        cluster,
                        directory.read(ClusterPki.paths()),
                        new Issuer(cluster.pki().algorithm(), clock, random),
                        clock)
                .make(contents.ownAuthority());
        List<Problem> problems = new ArrayList<>(pki.problems());
        SortedMap<String, String> files = new TreeMap<>(pki.files());
        files.putAll(contents.etcdFiles());
        files.putAll(material.serverFiles(problems));
        BootstrapToken token = material.bootstrapToken(problems);
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        return new Made(cluster, directory, assets(cluster, facts, files, token, contents.addOns()), pki, token);
    }

    private static List<Asset> assets(
            ClusterSpec cluster,
            VersionFacts facts,
            Map<String, String> files,
            BootstrapToken token,
            List<Asset> addOns) {
        Stream<Asset> tls = files.entrySet().stream()
                .map(file -> new Asset(file.getKey(), file.getValue(), !isPublic(file.getKey())));
        Stream<Asset> manifests = new ClusterManifests(cluster, facts, token, files).assets().stream();
        return Stream.of(tls, manifests, addOns.stream())
                .flatMap(assets -> assets)
                .sorted(Comparator.comparing(Asset::path))
                .toList();
    }

    private static boolean isPublic(String path) {
        return path.endsWith(".crt") || path.endsWith(".pub");
    }

    private Settings settings(RenderRequest request, List<Problem> problems) {
        if (request.config().isEmpty()) {
            return request.flags();
        }
        Path file = request.config().get();
        Optional<String> text = disk.readText(file);
        if (text.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    file.toString(),
                    "there is no such file",
                    "a Cluster document",
                    "give its path with --config; docs/examples/cluster.yaml is one to begin with");
        }
        ClusterDocument.Result document = ClusterDocument.read(text.get(), file.toString());
        if (!document.isDocument()) {
            throw new ProblemException(document.problems());
        }
        problems.addAll(document.problems());
        return document.settings().with(request.flags());
    }

    private static Path baseOf(RenderRequest request) {
        Path file = request.config().orElse(Path.of("cluster.yaml")).toAbsolutePath();
        Path parent = file.getParent();
        return parent == null ? file : parent;
    }

    private static RenderReport report(
            Path directory,
            ClusterSpec cluster,
            AssetDirectory.Changes changes,
            ClusterPki.Result pki,
            BootstrapToken token) {
        RenderReport.Expiry first = pki.expiries().entrySet().stream()
                .min(Map.Entry.<String, java.time.Instant>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
                .map(entry -> new RenderReport.Expiry(entry.getKey(), entry.getValue()))
                .orElseThrow();
        return new RenderReport(
                cluster,
                directory,
                changes.different().stream().map(Asset::path).toList(),
                changes.same(),
                changes.obsolete(),
                pki.reissued(),
                keepOutside(cluster),
                first,
                advice(cluster, token));
    }

    private static List<String> keepOutside(ClusterSpec cluster) {
        List<String> paths = new ArrayList<>(List.of(
                AssetLayout.CA_KEY,
                AssetLayout.FRONT_PROXY_CA_KEY,
                AssetLayout.SERVICE_ACCOUNT_KEY,
                AssetLayout.ADMIN_KUBECONFIG));
        if (cluster.encryption().enabled()) {
            paths.addFirst(AssetLayout.ENCRYPTION_CONFIG);
        }
        if (cluster.etcd().security() instanceof ClusterSpec.EtcdSecurity.Ours) {
            paths.add(AssetLayout.ETCD_CA_KEY);
        }
        return paths;
    }

    private static List<String> advice(ClusterSpec cluster, BootstrapToken token) {
        List<String> advice = new ArrayList<>();
        advice.add("Nodes can join with the bootstrap token for 24 hours after 'ouro start'; manifests/"
                + " has its Secret, kube-system/bootstrap-token-" + token.id() + ", where that can be changed.");
        if (!cluster.encryption().enabled()) {
            advice.add("Encryption at rest is off: who can read etcd's disk or a snapshot can read every Secret.");
        }
        if (cluster.etcd().security() instanceof ClusterSpec.EtcdSecurity.None) {
            advice.add("etcd speaks plain HTTP: who reaches it owns the cluster.");
        }
        KubernetesVersion known = VersionFacts.newestKnown();
        if (cluster.version().minorVersion().compareTo(known) > 0) {
            advice.add("Kubernetes " + cluster.version().minorName()
                    + " is newer than this ouro, which knows what changed until " + known.minorName()
                    + ": its flags and API versions were used, and flags that it does not know were not judged.");
        }
        return advice;
    }
}
