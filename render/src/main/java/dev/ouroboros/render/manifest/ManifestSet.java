package dev.ouroboros.render.manifest;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.KeeperObjects;
import dev.ouroboros.model.component.NodeAgentObjects;
import dev.ouroboros.model.component.StewardObjects;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.manifest.WorkloadReference;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The objects of an asset directory's {@code manifests/}, in the order in which they are applied: Namespaces, then
 * CustomResourceDefinitions, then the rest, each in the order of file names.
 */
public final class ManifestSet {
    private static final Set<String> WORKLOAD_KINDS = Set.of("DaemonSet", "Deployment");
    /** bootkube's label on what it renders; ours too. */
    private static final String TIER_LABEL = "tier";

    private static final String CHECKPOINT = "ouroboros.dev/checkpoint";
    private static final String BOOTKUBE_CHECKPOINT = "checkpointer.alpha.coreos.com/checkpoint";
    private static final Set<String> TIERS = Set.of("control-plane", "node");

    private static final String NODE_ROLE_PREFIX = "node-role.kubernetes.io/";

    private static final ObjectMapper TYPED =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private final List<GenericKubernetesResource> objects;

    private ManifestSet(List<GenericKubernetesResource> objects) {
        this.objects = objects;
    }

    /**
     * Parses manifest files.
     *
     * @param files file name to YAML or JSON text, in order
     * @throws ProblemException INVALID_ASSET_DIRECTORY with every file that is not a Kubernetes object
     */
    public static ManifestSet parse(Map<String, String> files) {
        List<GenericKubernetesResource> objects = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        files.forEach((file, text) -> {
            for (String document : text.split("(?m)^---\\s*$", -1)) {
                if (document.lines().anyMatch(line -> !line.isBlank() && !line.startsWith("#"))) {
                    parseDocument(file, document, objects, problems);
                }
            }
        });
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        return of(objects);
    }

    /** These objects, in the order in which they are applied. */
    public static ManifestSet of(List<GenericKubernetesResource> objects) {
        return new ManifestSet(objects.stream()
                .sorted(Comparator.comparingInt(object -> stage(object.getKind())))
                .toList());
    }

    private static void parseDocument(
            String file, String document, List<GenericKubernetesResource> objects, List<Problem> problems) {
        try {
            // JSON is YAML.
            GenericKubernetesResource object = TYPED.convertValue(
                    new Load(LoadSettings.builder().build()).loadFromString(document), GenericKubernetesResource.class);
            if (object == null
                    || object.getKind() == null
                    || object.getApiVersion() == null
                    || object.getMetadata() == null
                    || object.getMetadata().getName() == null) {
                problems.add(invalid(file, "lacks apiVersion, kind or metadata.name"));
            } else {
                objects.add(object);
            }
        } catch (RuntimeException e) {
            problems.add(invalid(file, "is not YAML or JSON: " + e.getMessage()));
        }
    }

    private static Problem invalid(String file, String what) {
        return new Problem(
                ErrorCode.INVALID_ASSET_DIRECTORY,
                file,
                what,
                "Kubernetes objects",
                "mend the file, or move it out of manifests/, and run the same command again");
    }

    /** The stage in which a kind is applied: objects of a later stage lie in objects of an earlier one, or are of their kind. */
    public static int stage(String kind) {
        return switch (kind) {
            case "Namespace" -> 0;
            case "CustomResourceDefinition" -> 1;
            default -> 2;
        };
    }

    private static boolean isControlPlane(GenericKubernetesResource object) {
        Map<String, String> labels = object.getMetadata().getLabels();
        return isOfSystem(object) && labels != null && TIERS.contains(labels.getOrDefault(TIER_LABEL, ""));
    }

    public List<GenericKubernetesResource> objects() {
        return objects;
    }

    /** The objects as they are sent to the API server. */
    public List<Json> json() {
        Yaml yaml = new Yaml();
        return objects.stream().map(object -> json(yaml, object)).toList();
    }

    private static Json json(Yaml yaml, GenericKubernetesResource object) {
        try {
            return JsonText.read(yaml.json(object));
        } catch (MalformedJson e) {
            throw new IllegalStateException("what was just written as JSON", e);
        }
    }

    public int size() {
        return objects.size();
    }

    /** Only what makes pods: DaemonSets, Deployments, StatefulSets, Jobs and the like. */
    public ManifestSet workloads() {
        return new ManifestSet(objects.stream().filter(ManifestSet::makesPods).toList());
    }

    /** The control plane's workloads of this component. */
    public ManifestSet of(Component component) {
        return new ManifestSet(objects.stream()
                .filter(object ->
                        isControlPlane(object) && object.getMetadata().getName().equals(component.id()))
                .toList());
    }

    /** Everything else. */
    public ManifestSet withoutWorkloads() {
        return new ManifestSet(
                objects.stream().filter(object -> !makesPods(object)).toList());
    }

    /** The keeper's DaemonSet, if there is one. */
    public ManifestSet keeper() {
        return new ManifestSet(objects.stream().filter(ManifestSet::isKeeper).toList());
    }

    /** The keeper's DaemonSet and that of nodes' agents, with their rights and Secrets: {@code ouro change remove-keeper} takes all of them away. */
    public ManifestSet keeperWithAccess() {
        return new ManifestSet(objects.stream()
                .filter(object -> isKeeper(object) || isAccessOfKeeper(object))
                .toList());
    }

    private static boolean isAccessOfKeeper(GenericKubernetesResource object) {
        String name = object.getMetadata().getName();
        String path = "/" + object.getKind().toLowerCase(Locale.ROOT) + "s/" + name;
        return Stream.concat(KeeperObjects.paths().stream(), NodeAgentObjects.paths().stream())
                        .anyMatch(known -> known.endsWith(path))
                || (object.getKind().equals("Secret")
                        && Stream.of(Component.KEEPER, Component.NODE_AGENT)
                                .anyMatch(component -> name.startsWith(component.id() + "-")));
    }

    /**
     * The steward's DaemonSet, rights and Secret, its object, and the CustomResourceDefinition, which an API server takes a second to serve; empty
     * where there is no steward.
     */
    public ManifestSet steward() {
        return new ManifestSet(objects.stream().filter(ManifestSet::isSteward).toList());
    }

    /** What a control plane needs to serve alone: everything but the keeper's DaemonSet and, where there is a keeper, the steward. */
    public ManifestSet withoutKeeper() {
        boolean isKept = keeper().size() > 0;
        return new ManifestSet(objects.stream()
                .filter(object -> !isKeeper(object) && !(isKept && isSteward(object)))
                .toList());
    }

    private static boolean isSteward(GenericKubernetesResource object) {
        String name = object.getMetadata().getName();
        String id = Component.STEWARD.id();
        return switch (object.getKind()) {
            case "DaemonSet", "ServiceAccount" -> isOfSystem(object) && name.equals(id);
            case "Secret" -> isOfSystem(object) && name.startsWith(id + "-");
            case "Role", "RoleBinding" -> isOfSystem(object) && name.equals(StewardManifests.ROLE);
            case "ClusterRole", "ClusterRoleBinding" -> name.equals(StewardManifests.ROLE);
            case "CustomResourceDefinition" -> name.equals(StewardObjects.DEFINITION);
            case StewardObjects.KIND -> name.equals(StewardObjects.NAME);
            default -> false;
        };
    }

    private static boolean isOfSystem(GenericKubernetesResource object) {
        return "kube-system".equals(object.getMetadata().getNamespace());
    }

    private static boolean isKeeper(GenericKubernetesResource object) {
        return object.getKind().equals("DaemonSet")
                && isControlPlane(object)
                && object.getMetadata().getName().equals(Component.KEEPER.id());
    }

    /** The parts of the control plane whose pods ask for a checkpoint, by our annotation or bootkube's; ours overrides. */
    public List<WorkloadReference> checkpointed() {
        List<WorkloadReference> all = controlPlane();
        Set<String> asking = objects.stream()
                .filter(object ->
                        object.get("spec", "template", "metadata", "annotations") instanceof Map<?, ?> annotations
                                && asksForCheckpoint(annotations))
                .map(object -> object.getKind() + "/" + object.getMetadata().getName())
                .collect(Collectors.toSet());
        return all.stream()
                .filter(workload -> asking.contains(workload.kind() + "/" + workload.name()))
                .toList();
    }

    private static boolean asksForCheckpoint(Map<?, ?> annotations) {
        Object ours = annotations.get(CHECKPOINT);
        return "true".equals(ours == null ? annotations.get(BOOTKUBE_CHECKPOINT) : ours);
    }

    private static boolean makesPods(GenericKubernetesResource object) {
        return object.getKind().equals("Pod") || object.get("spec", "template", "spec") instanceof Map;
    }

    /** The DaemonSets and Deployments that make up the control plane, as namespace/name. */
    public List<WorkloadReference> controlPlane() {
        return objects.stream()
                .filter(object -> WORKLOAD_KINDS.contains(object.getKind()))
                .filter(ManifestSet::isControlPlane)
                .map(object -> new WorkloadReference(
                        object.getKind(),
                        object.getMetadata().getNamespace() == null
                                ? "default"
                                : object.getMetadata().getNamespace(),
                        object.getMetadata().getName()))
                .toList();
    }

    /** The components of the control plane whose pods have the node's network, and its host name with it. */
    public Set<Component> onHostNetwork() {
        return objects.stream()
                .filter(object -> WORKLOAD_KINDS.contains(object.getKind()))
                .filter(ManifestSet::isControlPlane)
                .filter(object -> Boolean.TRUE.equals(object.get("spec", "template", "spec", "hostNetwork")))
                .flatMap(object -> Component.WITH_UNDERSTUDY.stream()
                        .filter(component ->
                                component.id().equals(object.getMetadata().getName())))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Component.class)));
    }

    /** Keys of the node-role labels that the control plane's pods select nodes by: what makes a control-plane node here. */
    public Set<String> controlPlaneLabels() {
        return objects.stream()
                .filter(object -> WORKLOAD_KINDS.contains(object.getKind()))
                .filter(ManifestSet::isControlPlane)
                .map(object -> object.get("spec", "template", "spec", "nodeSelector"))
                .filter(selector -> selector instanceof Map)
                .flatMap(selector -> ((Map<?, ?>) selector).keySet().stream())
                .map(Object::toString)
                .filter(label -> label.startsWith(NODE_ROLE_PREFIX))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
