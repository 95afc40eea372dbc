package dev.ouroboros.recovery;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.StaticPodRules;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import dev.ouroboros.render.manifest.BootstrapToken;
import dev.ouroboros.render.manifest.Joining;
import dev.ouroboros.render.manifest.Yaml;
import dev.ouroboros.render.pki.Issuer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes an asset directory of a cluster's live objects.
 *
 * <ol>
 *   <li>What runs API server, controller manager and scheduler is found by what its containers run ({@link ClusterObjects}); a part that
 *       is gone is taken as it was last before it was deleted, where the source remembers it.
 *   <li>Each template becomes a static pod that names no API object, with the files that its volumes held ({@link RecoveredComponent}):
 *       the arguments and keys are those of the last day, not of the first.
 *   <li>An administrator's kubeconfig is taken as given, or made with the authority that the controller manager signs with.
 *   <li>When asked to, etcd gets new keys, and kubelets a token to join with.
 *   <li>The control plane's objects themselves are written to {@code manifests/}, so that what was deleted is applied again.
 * </ol>
 *
 * <p>Everything that is wrong is found in one run. The result depends on nothing but the objects, the request, time and chance.
 */
public final class Recovery {
    /** In a kubeconfig of an earlier run. */
    private static final Pattern TOKEN = Pattern.compile("token: \"?([a-z0-9]{6}\\.[a-z0-9]{16})");

    private final InstantSource clock;
    private final SecureRandom random;

    public Recovery(InstantSource clock, SecureRandom random) {
        this.clock = clock;
        this.random = random;
    }

    /** @throws ProblemException with everything that stands in the way */
    public RecoveredCluster of(ClusterObjects live, RecoveryRequest request) {
        List<Problem> problems = new ArrayList<>(live.problems());
        Map<Component, RecoveredWorkload> found = new EnumMap<>(Component.class);
        for (Component component : Component.WITH_UNDERSTUDY) {
            choose(component, live, request, problems).ifPresent(workload -> found.put(component, workload));
        }
        // What cannot be read would be reported once more as missing.
        fail(problems);
        Issuer issuer = new Issuer(KeyAlgorithm.ECDSA_P256, clock, random);
        Map<Component, RecoveredComponent> parts = parts(live, found, problems);
        fail(problems);
        AdminAccess.Access access = new AdminAccess(parts, live, issuer, clock.instant(), problems)
                .of(request)
                .orElseThrow(() -> new ProblemException(problems));
        // What an earlier run made for another cluster is of no use to this one.
        String authority = access.cluster().caCertificate();
        Map<String, String> before =
                authority.equals(request.existing().get(AssetLayout.CA_CERTIFICATE)) ? request.existing() : Map.of();
        if (!request.newEtcdKeys()) {
            return assemble(live, parts, access, Optional.empty(), request, before);
        }
        EtcdKeys keys = EtcdKeys.of(before, issuer, etcdServers(found), clock.instant());
        ClusterObjects objects = keys.in(live, part(parts, Component.API_SERVER).workload());
        Map<Component, RecoveredComponent> changed = parts(objects, found, problems);
        fail(problems);
        return assemble(objects, changed, access, Optional.of(keys), request, before);
    }

    private static void fail(List<Problem> problems) {
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
    }

    private static Optional<RecoveredWorkload> choose(
            Component component, ClusterObjects objects, RecoveryRequest request, List<Problem> problems) {
        Optional<String> named = Optional.ofNullable(request.workloads().get(component));
        List<RecoveredWorkload> candidates = objects.running(component).stream()
                .filter(workload -> named.isEmpty() || workload.isNamed(named.get()))
                .toList();
        List<RecoveredWorkload> known =
                candidates.size() > 1 && candidates.getFirst().deleted() ? List.of(candidates.getLast()) : candidates;
        if (known.size() != 1) {
            problems.add(new Problem(
                    known.isEmpty() ? ErrorCode.NOT_FOUND : ErrorCode.UNSUPPORTED_CLUSTER,
                    objects.origin(),
                    known.isEmpty()
                            ? "has no DaemonSet, Deployment or StatefulSet "
                                    + named.map(name -> name + " ").orElse("") + "that runs " + component.id()
                            : "has more than one that runs " + component.id() + ": "
                                    + known.stream()
                                            .map(RecoveredWorkload::path)
                                            .toList(),
                    "one: this recovers clusters that host their own control plane",
                    known.isEmpty()
                            ? "see what is in it: ouro snapshot inspect"
                            : "say which is the control plane's: --workload " + component.id() + "=NAMESPACE/NAME"));
            return Optional.empty();
        }
        return Optional.of(known.getFirst());
    }

    private static Map<Component, RecoveredComponent> parts(
            ClusterObjects objects, Map<Component, RecoveredWorkload> found, List<Problem> problems) {
        StaticPodRules rules = StaticPodRules.load();
        Map<Component, RecoveredComponent> parts = new EnumMap<>(Component.class);
        found.forEach((component, workload) -> objects.workloads().stream()
                .filter(candidate ->
                        candidate.path().equals(workload.path()) && candidate.component() == workload.component())
                .reduce((_, last) -> last)
                .flatMap(now -> RecoveredComponent.of(component, now, objects, rules, problems))
                .ifPresent(part -> parts.put(component, part)));
        return parts;
    }

    private static List<String> etcdServers(Map<Component, RecoveredWorkload> found) {
        return Optional.ofNullable(found.get(Component.API_SERVER))
                .flatMap(server -> server.commandLine().value("etcd-servers"))
                .map(value -> Arrays.asList(value.split(",", -1)))
                .orElse(List.of());
    }

    private RecoveredCluster assemble(
            ClusterObjects objects,
            Map<Component, RecoveredComponent> parts,
            AdminAccess.Access access,
            Optional<EtcdKeys> etcdKeys,
            RecoveryRequest request,
            Map<String, String> before) {
        List<AssetFile> files = new ArrayList<>();
        parts.values().forEach(part -> files.addAll(part.assets()));
        files.add(AssetFile.open(AssetLayout.CA_CERTIFICATE, access.cluster().caCertificate()));
        files.add(AssetFile.secret(AssetLayout.ADMIN_KUBECONFIG, access.kubeconfig()));
        etcdKeys.ifPresent(keys -> keys.files().forEach((path, text) -> files.add(AssetFile.secret(path, text))));
        List<Json.Fields> live = live(objects, parts);
        live.forEach(object -> files.add(LiveManifest.of(object)));
        if (request.joins()) {
            files.addAll(joining(access, before));
        }
        List<String> notes = notes(objects, parts);
        RecoveredComponent server = part(parts, Component.API_SERVER);
        Optional<String> version = server.checkpoint().version().map(KubernetesVersion::number);
        // Where render writes it too: to be kept beside the next snapshot.
        server.fileOf("encryption-provider-config")
                .ifPresent(text -> files.add(AssetFile.secret(AssetLayout.ENCRYPTION_CONFIG, text)));
        String serviceRange = server.workload()
                .commandLine()
                .value("service-cluster-ip-range")
                .orElse("");
        files.add(AssetFile.open(
                AssetLayout.RECOVERY,
                marker(
                        objects,
                        access,
                        version.orElse(""),
                        serviceRange,
                        etcdKeys.map(_ -> List.of(server.workload().path())).orElse(List.of()),
                        notes)));
        TreeSet<String> images = new TreeSet<>();
        own(objects, parts).forEach(workload -> images.addAll(workload.images()));
        return new RecoveredCluster(
                files,
                access.endpoint().server(),
                etcdServers(Map.of(Component.API_SERVER, server.workload())),
                serviceRange,
                version,
                images,
                objects.nodes(),
                checkpoints(parts),
                notes);
    }

    private static Map<Component, Checkpoint> checkpoints(Map<Component, RecoveredComponent> parts) {
        Map<Component, Checkpoint> checkpoints = new EnumMap<>(Component.class);
        parts.forEach((component, part) -> checkpoints.put(component, part.checkpoint()));
        return checkpoints;
    }

    private static RecoveredComponent part(Map<Component, RecoveredComponent> parts, Component component) {
        return Optional.ofNullable(parts.get(component)).orElseThrow();
    }

    /** The workloads of this control plane: what else runs a part of one is another cluster's, or was deleted for another reason. */
    private static List<RecoveredWorkload> own(ClusterObjects objects, Map<Component, RecoveredComponent> parts) {
        List<RecoveredWorkload> used =
                parts.values().stream().map(RecoveredComponent::workload).toList();
        return objects.workloads().stream()
                .filter(workload -> used.contains(workload)
                        || (!workload.deleted() && !Component.WITH_UNDERSTUDY.contains(workload.component())))
                .toList();
    }

    /** The workloads, what they refer to, and their accounts. */
    private static List<Json.Fields> live(ClusterObjects objects, Map<Component, RecoveredComponent> parts) {
        List<Json.Fields> live = new ArrayList<>(objects.accounts());
        TreeSet<ApiObject> references = new TreeSet<>();
        for (RecoveredWorkload workload : own(objects, parts)) {
            live.add(workload.object());
            references.addAll(workload.references());
        }
        for (ApiObject reference : references) {
            Json.Fields content = objects.contents().get(reference);
            if (content != null) {
                live.add(content);
            }
        }
        return live;
    }

    private List<AssetFile> joining(AdminAccess.Access access, Map<String, String> before) {
        BootstrapToken made = Optional.ofNullable(before.get(AssetLayout.KUBELET_KUBECONFIG))
                .map(TOKEN::matcher)
                .filter(Matcher::find)
                .flatMap(found -> BootstrapToken.parse(found.group(1)))
                .orElseGet(() -> BootstrapToken.random(random));
        List<AssetFile> files = new ArrayList<>();
        Joining.assets(made).forEach(asset -> files.add(AssetFile.of(asset)));
        files.add(AssetFile.secret(
                AssetLayout.KUBELET_KUBECONFIG,
                new Yaml().text(access.cluster().withToken("kubelet-bootstrap", made.value()))));
        return files;
    }

    private static List<String> notes(ClusterObjects objects, Map<Component, RecoveredComponent> parts) {
        List<String> notes = new ArrayList<>();
        objects.damage().forEach(damage -> notes.add(damage.describe()));
        for (RecoveredComponent part : parts.values()) {
            if (part.workload().deleted()) {
                notes.add(part.workload().path() + " was deleted: this is how it was last");
            }
            part.hostPaths()
                    .forEach(path ->
                            notes.add(part.workload().path() + " reads " + path + " of its host, which must be there"));
        }
        objects.forgotten().forEach(object -> notes.add(object + " was deleted: this is how it was last"));
        return notes;
    }

    /** @param changed objects that the recovery has changed: they are applied whoever has set their fields */
    private static String marker(
            ClusterObjects objects,
            AdminAccess.Access access,
            String version,
            String serviceRange,
            List<String> changed,
            List<String> notes) {
        Json.Fields marker = Json.object()
                .with("apiVersion", Json.text("ouroboros.dev/v1alpha1"))
                .with("kind", Json.text("Recovery"))
                .with("from", Json.text(objects.origin()))
                .with("server", Json.text(access.endpoint().server().toString()))
                .with("version", Json.text(version))
                .with("serviceRange", Json.text(serviceRange))
                .with("changed", Json.texts(changed))
                .with("notes", Json.texts(notes));
        return new String(JsonText.write(marker), StandardCharsets.UTF_8) + "\n";
    }
}
