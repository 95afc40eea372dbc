package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.component.UnderstudyFlags;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.json.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The static pod that stands in for a component: the saved pod on ports of its own, where neither the kubelet's probes nor a
 * Service, a PodDisruptionBudget or a controller takes it for the principal.
 *
 * <p>A component of the control plane runs in the host's network, because a pod network may need the API to come up; so does the
 * keeper's copy. Any other pod keeps the network that it has.
 */
public final class Understudy {
    /** Says who wrote a static manifest. */
    public static final String OWNER_ANNOTATION = "ouroboros.dev/owner";

    /** Value of the owner annotation on what a keeper wrote. */
    public static final String OWNER = "keeper";

    /** Names the revision that a static manifest was made from. */
    public static final String REVISION_ANNOTATION = "ouroboros.dev/revision";

    /** Names the component that a static manifest stands in for, as in {@code kube-system/kube-apiserver}. */
    public static final String COMPONENT_ANNOTATION = "ouroboros.dev/component";

    /** When the manifest was written: no two starts of an understudy have the same. */
    public static final String START_ANNOTATION = "ouroboros.dev/started";

    /** The only label: its value is the component's name, as far as a label can hold it. */
    public static final String LABEL = "ouroboros.dev/understudy";

    private static final String PREFIX = "understudy-";
    private static final int LABEL_LENGTH = 63;

    /** The highest priority: with less, a critical pod could preempt the API server from which the kubelet has it. */
    public static final String PRIORITY_CLASS = "system-node-critical";

    /** What the class means; nobody fills it in for a static pod. */
    public static final int PRIORITY = 2_000_001_000;

    /** Clients have moved before the understudy is told to end; connections that remain are cut rather than waited for. */
    private static final long API_SERVER_TERMINATION_SECONDS = 15;

    /** Static pods are always critical and preempt others; so small a request fits beside the principal. */
    private static final Map<String, Json> REQUESTS = Map.of("cpu", Json.text("100m"), "memory", Json.text("16Mi"));

    /** An outage is no time to ask a registry. */
    private static final Json IF_NOT_PRESENT = Json.text("IfNotPresent");

    private Understudy() {}

    /**
     * The manifest to give to the kubelet.
     *
     * @param filesDirectory absolute path of the directory, on the node, that has the checkpoint's files: a directory for each
     *     volume
     */
    public static Json.Fields of(Checkpoint checkpoint, String filesDirectory) {
        Json pod = checkpoint.pod();
        Json.Fields metadata = Json.object()
                .with("name", Json.text(podName(checkpoint.component(), checkpoint.role())))
                .with("namespace", Json.text(checkpoint.component().namespace()))
                .with("labels", Json.object().with(LABEL, Json.text(label(checkpoint.component()))))
                .with("annotations", annotations(pod, checkpoint.component(), checkpoint.revision()));
        return Json.object()
                .with("apiVersion", Json.text("v1"))
                .with("kind", Json.text("Pod"))
                .with("metadata", metadata)
                .with("spec", spec(pod, checkpoint.role(), filesDirectory));
    }

    /**
     * The manifest for one start. The kubelet derives a static pod's uid from its content (applyDefaults in pkg/kubelet/config), and
     * counts containers that an earlier pod of the same uid has left as crashes of this one: each start would wait twice as long as
     * the one before, up to five minutes (doBackOff in pkg/kubelet/kuberuntime).
     */
    public static Json.Fields startedAt(Json.Fields manifest, Instant moment) {
        Map<String, Json> metadata = new TreeMap<>(manifest.at("metadata").fields());
        Map<String, Json> annotations =
                new TreeMap<>(manifest.at("metadata", "annotations").fields());
        annotations.put(START_ANNOTATION, Json.text(moment.toString()));
        metadata.put("annotations", new Json.Fields(annotations));
        return manifest.with("metadata", new Json.Fields(metadata));
    }

    /** {@code metadata.name} of the static pod; the kubelet appends the node's name. */
    public static String podName(ComponentName component, Role role) {
        return role == Role.KEEPER ? PodIdentity.KEEPER.name() : PREFIX + component.name();
    }

    /**
     * Name of its file in the kubelet's manifest directory. Names of namespaces have no dot, so that what is before the first dot,
     * if there is one, is the namespace: two components never share a file.
     */
    public static String fileName(ComponentName component, Role role) {
        if (role == Role.KEEPER) {
            return PodIdentity.KEEPER.name() + ".json";
        }
        boolean isShort = component.namespace().equals(PodIdentity.CONTROL_PLANE_NAMESPACE)
                && component.name().indexOf('.') < 0;
        return PREFIX + (isShort ? "" : component.namespace() + ".") + component.name() + ".json";
    }

    static boolean usesHostNetwork(Json pod, Role role) {
        return switch (role) {
            case API_SERVER, CONTROLLER_MANAGER, SCHEDULER, KEEPER -> true;
            case OTHER -> pod.at("spec", "hostNetwork").isTrue();
        };
    }

    private static String label(ComponentName component) {
        String name = component.name();
        String cut = name.substring(0, Math.min(name.length(), LABEL_LENGTH));
        return cut.replaceAll("[^a-zA-Z0-9]+$", "");
    }

    private static Json.Fields annotations(Json pod, ComponentName component, Revision revision) {
        Map<String, Json> annotations =
                new TreeMap<>(pod.at("metadata", "annotations").fields());
        annotations.put(OWNER_ANNOTATION, Json.text(OWNER));
        annotations.put(REVISION_ANNOTATION, Json.text(revision.digest()));
        annotations.put(COMPONENT_ANNOTATION, Json.text(component.toString()));
        return new Json.Fields(annotations);
    }

    private static Json.Fields spec(Json pod, Role role, String filesDirectory) {
        Map<String, Json> spec = new TreeMap<>(pod.at("spec").fields());
        boolean hostNetwork = usesHostNetwork(pod, role);
        Optional<LocatedJson> main = main(pod, role);
        for (String kind : List.of("initContainers", "containers")) {
            List<Json> containers = LocatedJson.root(pod)
                    .at("spec")
                    .each(kind)
                    .map(container -> container(pod, container, role, main.equals(Optional.of(container)), hostNetwork))
                    .toList();
            if (!containers.isEmpty()) {
                spec.put(kind, new Json.Items(containers));
            }
        }
        if (spec.containsKey("volumes")) {
            spec.put(
                    "volumes",
                    Json.items(LocatedJson.volumesOf(pod).stream().map(volume -> volume(volume, filesDirectory))));
        }
        spec.put("automountServiceAccountToken", Json.bool(false));
        spec.put("enableServiceLinks", Json.bool(false));
        spec.put("priorityClassName", Json.text(PRIORITY_CLASS));
        spec.put("priority", Json.number(PRIORITY));
        spec.put("restartPolicy", Json.text("Always"));
        spec.put("tolerations", new Json.Items(List.of(Json.object().with("operator", Json.text("Exists")))));
        if (hostNetwork) {
            spec.put("hostNetwork", Json.bool(true));
            // The API's text does not allow both ("hostNetwork must be set to false"); what a kubelet does was not
            // tried.
            spec.remove("hostnameOverride");
        }
        if (role == Role.API_SERVER) {
            long principal =
                    pod.at("spec", "terminationGracePeriodSeconds").integer().orElse(30);
            spec.put("terminationGracePeriodSeconds", Json.number(Math.min(principal, API_SERVER_TERMINATION_SECONDS)));
        }
        return new Json.Fields(spec);
    }

    /** The container whose flags are changed; for the keeper, its first container. */
    private static Optional<LocatedJson> main(Json pod, Role role) {
        return switch (role) {
            case API_SERVER, CONTROLLER_MANAGER, SCHEDULER -> PodIdentity.mainContainer(pod, role);
            case KEEPER -> LocatedJson.root(pod).at("spec").each("containers").findFirst();
            case OTHER -> Optional.empty();
        };
    }

    private static Json container(Json pod, LocatedJson container, Role role, boolean isMain, boolean hostNetwork) {
        Map<String, Json> fields = new TreeMap<>(container.value().fields());
        fields.put("imagePullPolicy", IF_NOT_PRESENT);
        fields.put("resources", resources(container.value().at("resources")));
        if (fields.containsKey("volumeMounts")) {
            fields.put("volumeMounts", Json.items(container.each("volumeMounts").map(mount -> mount(pod, mount))));
        }
        if (hostNetwork) {
            // A probe of the principal's port would restart the wrong copy, and a declared port would conflict with the
            // principal's.
            List.of("livenessProbe", "readinessProbe", "startupProbe", "ports").forEach(fields::remove);
            if (isMain && role == Role.API_SERVER) {
                // Nothing else restarts an understudy that hangs, and without it there may be no API through which the
                // principal
                // comes back.
                for (String probe : List.of("livenessProbe", "startupProbe")) {
                    ownProbe(container, probe).ifPresent(own -> fields.put(probe, own));
                }
            }
        }
        CommandLine before = CommandLine.of(container.value());
        Optional<String> ports = UnderstudyPorts.annotation(pod);
        CommandLine after =
                ports.map(text -> UnderstudyPorts.apply(text, before)).orElse(before);
        // The keeper knows by its pod's name that it is the copy.
        if (isMain && role != Role.KEEPER) {
            CommandLine moved = after;
            after = Component.of(role)
                    .map(component -> UnderstudyFlags.of(component, moved, UnderstudyFlags.Purpose.STAND_IN))
                    .orElse(moved);
        }
        if (!after.equals(before)) {
            setCommandLine(fields, after);
        }
        return new Json.Fields(fields);
    }

    /** The principal's probe of its secure port, moved to the understudy's port. */
    private static Optional<Json> ownProbe(LocatedJson container, String name) {
        Json probe = container.value().at(name);
        String principal = CommandLine.of(container.value())
                .value("secure-port")
                .orElse(Integer.toString(Component.API_SERVER.port()));
        boolean asksPort = portOf(container, probe.at("httpGet", "port")).equals(Optional.of(principal));
        return asksPort && probe instanceof Json.Fields all && probe.at("httpGet") instanceof Json.Fields get
                ? Optional.of(all.with("httpGet", get.with("port", Json.number(Component.API_SERVER.understudyPort()))))
                : Optional.empty();
    }

    /** A probe names its port by the number, or by the name that the container's list of ports gives it. */
    private static Optional<String> portOf(LocatedJson container, Json asked) {
        return switch (asked) {
            case Json.Numeric(String number) -> Optional.of(number);
            case Json.Text(String name) ->
                container
                        .each("ports")
                        .filter(port -> port.text("name").equals(name))
                        .findFirst()
                        .flatMap(port -> portOf(container, port.value().at("containerPort")));
            case Json.Fields _, Json.Items _, Json.Bool _, Json.Null _ -> Optional.empty();
        };
    }

    /** The kubelet never lets a container write to a volume from an API object, but would let it write to a hostPath. */
    private static Json mount(Json pod, LocatedJson mount) {
        boolean isSaved = LocatedJson.volumesOf(pod).stream()
                .anyMatch(volume -> volume.text("name").equals(mount.text("name")) && isSaved(volume));
        return isSaved && mount.value() instanceof Json.Fields fields
                ? fields.with("readOnly", Json.bool(true))
                : mount.value();
    }

    private static boolean isSaved(LocatedJson volume) {
        return volume.value()
                .at("hostPath", "path")
                .text()
                .filter(path -> !path.startsWith("/"))
                .isPresent();
    }

    /** An image's own entry point stays in force when there is no command: then all words are arguments. */
    private static void setCommandLine(Map<String, Json> fields, CommandLine commandLine) {
        boolean hasCommand = fields.containsKey("command");
        fields.put(hasCommand ? "command" : "args", Json.texts(commandLine.words()));
        if (hasCommand) {
            fields.remove("args");
        }
    }

    private static Json.Fields resources(Json own) {
        Map<String, Json> requests = new TreeMap<>(own.at("requests").fields());
        REQUESTS.forEach((name, small) -> requests.merge(name, small, Understudy::smaller));
        Json limits = own.at("limits");
        limits.fields()
                .forEach((name, limit) -> requests.computeIfPresent(name, (_, request) -> smaller(request, limit)));
        Json.Fields resources = Json.object().with("requests", new Json.Fields(requests));
        return limits.fields().isEmpty() ? resources : resources.with("limits", limits);
    }

    private static Json smaller(Json one, Json other) {
        Optional<Quantity> first = Quantity.of(one);
        Optional<Quantity> second = Quantity.of(other);
        return first.isPresent() && second.isPresent() && second.get().compareTo(first.get()) < 0 ? other : one;
    }

    private static Json volume(LocatedJson volume, String filesDirectory) {
        if (volume.value() instanceof Json.Fields all && all.at("image") instanceof Json.Fields image) {
            return all.with("image", image.with("pullPolicy", IF_NOT_PRESENT));
        }
        if (!isSaved(volume) || !(volume.value().at("hostPath") instanceof Json.Fields hostPath)) {
            return volume.value();
        }
        String absolute = filesDirectory + "/" + hostPath.at("path").text().orElseThrow();
        return new Json.Fields(volume.value().fields()).with("hostPath", hostPath.with("path", Json.text(absolute)));
    }
}
