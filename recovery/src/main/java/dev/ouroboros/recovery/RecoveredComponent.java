package dev.ouroboros.recovery;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Checkpointing;
import dev.ouroboros.model.checkpoint.Checkpointing.Result;
import dev.ouroboros.model.checkpoint.SavedFile;
import dev.ouroboros.model.checkpoint.StaticPodRules;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.YamlText;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.version.KubernetesVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * One of API server, controller manager and scheduler as it ran: its template with everything that it refers to, as a bootstrap
 * manifest and files. {@code start} gives it other ports and flags, as it does with what was rendered.
 *
 * @param checkpoint the template as a pod that names no API object
 */
record RecoveredComponent(Component component, RecoveredWorkload workload, Checkpoint checkpoint) {
    /** The manifests of one cluster lie in one namespace; nothing depends on the name of a static pod after the pivot. */
    private static final String NAMESPACE = "kube-system";

    private static final String OWN_ACCESS_VOLUME = "recovered-access";
    private static final String OWN_ACCESS = "/etc/kubernetes/recovered-access";

    /**
     * Fields that say where a pod may run, who it is, or what the principal's port answers: a temporary static pod does not take them
     * over.
     */
    private static final Set<String> OF_THE_PRINCIPAL = Set.of(
            "serviceAccountName",
            "serviceAccount",
            "affinity",
            "nodeSelector",
            "topologySpreadConstraints",
            "securityContext");

    private static final Set<String> OF_ITS_CONTAINERS =
            Set.of("livenessProbe", "readinessProbe", "startupProbe", "ports", "resources");

    /**
     * Makes the part of a workload.
     *
     * @param problems is told why it cannot be made, each with its field
     */
    static Optional<RecoveredComponent> of(
            Component component,
            RecoveredWorkload workload,
            ClusterObjects objects,
            StaticPodRules rules,
            List<Problem> problems) {
        if (workload.commandLine().isShell()) {
            problems.add(new Problem(
                    ErrorCode.UNSUPPORTED_CLUSTER,
                    workload.path(),
                    "starts " + component.id() + " through a shell, whose flags cannot be set",
                    "a command that is the program with its flags",
                    "change the template in the source, or write bootstrap-manifests/ by hand"));
            return Optional.empty();
        }
        Checkpointing checkpointing = new Checkpointing(rules, version(workload));
        Evidence<Result> result = checkpointing.of(
                pod(component, workload),
                object -> Evidence.known(
                        objects.content(new ApiObject(object.kind(), workload.namespace(), object.name()))));
        return switch (result) {
            case Evidence.Known<Result>(Result.Complete(Checkpoint checkpoint)) ->
                Optional.of(new RecoveredComponent(component, workload, checkpoint));
            case Evidence.Known<Result>(Result.Refused(List<Problem> refused)) -> {
                refused.forEach(problem -> problems.add(new Problem(
                        problem.code(),
                        workload.path() + " " + problem.where(),
                        problem.what(),
                        problem.expected(),
                        problem.next())));
                yield Optional.empty();
            }
            case Evidence.Unknown<Result>(String reason) ->
                throw new IllegalStateException("everything was read: " + reason);
        };
    }

    /** By the tag of its image: a kubelet of that version must be able to run the pod. */
    private static KubernetesVersion version(RecoveredWorkload workload) {
        return workload.main()
                .at("image")
                .text()
                .map(image -> image.substring(image.lastIndexOf(':') + 1))
                .flatMap(KubernetesVersion::parse)
                .orElseGet(VersionFacts::newestKnown);
    }

    private static Json.Fields pod(Component component, RecoveredWorkload workload) {
        Map<String, Json> spec = new TreeMap<>(workload.template().at("spec").fields());
        spec.keySet().removeAll(OF_THE_PRINCIPAL);
        spec.put("automountServiceAccountToken", Json.bool(false));
        spec.put("hostNetwork", Json.bool(true));
        Json main = workload.main();
        spec.put(
                "containers",
                Json.items(workload.template().at("spec", "containers").items().stream()
                        .map(container -> container(component, container, container.equals(main)))));
        return Json.object()
                .with("apiVersion", Json.text("v1"))
                .with("kind", Json.text("Pod"))
                .with(
                        "metadata",
                        Json.object()
                                .with("name", Json.text(component.temporaryPod()))
                                .with("namespace", Json.text(NAMESPACE)))
                .with("spec", new Json.Fields(spec));
    }

    /**
     * The main container gets the name that {@code start} expects, and a command that names the program: an image's entry point may be a
     * wrapper.
     */
    private static Json container(Component component, Json container, boolean isMain) {
        Map<String, Json> fields = new TreeMap<>(container.fields());
        fields.keySet().removeAll(OF_ITS_CONTAINERS);
        if (!isMain) {
            return new Json.Fields(fields);
        }
        fields.remove("securityContext");
        fields.put("name", Json.text(component.id()));
        if (container.at("command").items().isEmpty()) {
            fields.put("command", Json.texts(List.of(component.id())));
        }
        return new Json.Fields(fields);
    }

    /** What it reads at a path of its container. */
    Optional<String> file(String path) {
        return checkpoint.fileAt(path).map(content -> new String(content.bytes(), StandardCharsets.UTF_8));
    }

    Optional<String> fileOf(String flag) {
        return workload.commandLine().value(flag).flatMap(this::file);
    }

    String manifestPath() {
        return AssetLayout.bootstrapManifest(component);
    }

    /** The manifest and the files that it mounts. */
    List<AssetFile> assets() {
        List<AssetFile> assets = new ArrayList<>();
        assets.add(AssetFile.open(manifestPath(), YamlText.write(manifest())));
        for (SavedFile file : checkpoint.files()) {
            assets.add(new AssetFile(
                    AssetLayout.RECOVERED + "/" + component.id() + "/" + file.volume() + "/" + file.path(),
                    file.content(),
                    true));
        }
        return assets;
    }

    private Json.Fields manifest() {
        Json.Fields spec = new Json.Fields(checkpoint.pod().at("spec").fields());
        Stream<Json> volumes = spec.at("volumes").items().stream().map(this::volume);
        Stream<Json> containers = spec.at("containers").items().stream().map(this::ownAccess);
        if (needsOwnAccess()) {
            volumes = Stream.concat(
                    volumes, Stream.of(hostPath(OWN_ACCESS_VOLUME, AssetLayout.BOOTSTRAP_SECRETS_DIRECTORY)));
        }
        return Json.object()
                .with("apiVersion", Json.text("v1"))
                .with("kind", Json.text("Pod"))
                .with(
                        "metadata",
                        Json.object()
                                .with("name", Json.text(component.temporaryPod()))
                                .with("namespace", Json.text(NAMESPACE)))
                .with("spec", spec.with("volumes", Json.items(volumes)).with("containers", Json.items(containers)));
    }

    private Json volume(Json volume) {
        boolean isSaved = volume.at("hostPath", "path")
                .text()
                .filter(path -> !path.startsWith("/"))
                .isPresent();
        String name = volume.at("name").text().orElse("");
        return isSaved
                ? hostPath(
                        name,
                        AssetLayout.BOOTSTRAP_SECRETS_DIRECTORY + "/" + AssetLayout.baseName(AssetLayout.RECOVERED)
                                + "/" + component.id() + "/" + name)
                : volume;
    }

    private static Json.Fields hostPath(String name, String path) {
        return Json.object()
                .with("name", Json.text(name))
                .with(
                        "hostPath",
                        Json.object().with("path", Json.text(path)).with("type", Json.text("DirectoryOrCreate")));
    }

    /** The flags that name a kubeconfig which a static pod cannot use: none, or one with a ServiceAccount's token. */
    private List<String> uselessKubeconfigs() {
        if (component == Component.API_SERVER) {
            return List.of();
        }
        CommandLine command = workload.commandLine();
        return Stream.of("kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig")
                .filter(flag -> flag.equals("kubeconfig") || command.value(flag).isPresent())
                .filter(flag -> fileOf(flag)
                        .filter(text -> !text.contains("/var/run/secrets/kubernetes.io/serviceaccount"))
                        .isEmpty())
                .toList();
    }

    boolean needsOwnAccess() {
        return !uselessKubeconfigs().isEmpty();
    }

    private Json ownAccess(Json container) {
        if (!needsOwnAccess()
                || !container.at("name").equals(Json.text(component.id()))
                || !(container instanceof Json.Fields fields)) {
            return container;
        }
        Map<String, String> flags = new TreeMap<>();
        uselessKubeconfigs()
                .forEach(
                        flag -> flags.put(flag, OWN_ACCESS + "/" + AssetLayout.baseName(AssetLayout.ADMIN_KUBECONFIG)));
        List<Json> mounts = new ArrayList<>(container.at("volumeMounts").items());
        mounts.add(Json.object()
                .with("name", Json.text(OWN_ACCESS_VOLUME))
                .with("mountPath", Json.text(OWN_ACCESS))
                .with("readOnly", Json.bool(true)));
        return fields.without("args")
                .with(
                        "command",
                        Json.texts(CommandLine.of(container).with(flags).words()))
                .with("volumeMounts", new Json.Items(mounts));
    }

    /** Directories of the host that it reads, and that no snapshot holds. */
    List<String> hostPaths() {
        return workload.template().at("spec", "volumes").items().stream()
                .flatMap(volume -> volume.at("hostPath", "path").text().stream())
                .toList();
    }

    /** Does not print files: they are keys. */
    @Override
    public String toString() {
        return component + " of " + workload.path();
    }
}
