package dev.ouroboros.sim;

import static dev.ouroboros.sim.Blueprint.fields;
import static dev.ouroboros.sim.Blueprint.metadataOf;

import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.sim.Blueprint.Kept;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The DaemonSet and Deployment controllers and the scheduler: they act only while an API server and they themselves run. */
final class Controllers {
    static final String HASH = "controller-revision-hash";
    private static final String DELETED = "deletionTimestamp";

    private final Machine machine;
    private final Map<Kept, Objects.Selector> selectors = new HashMap<>();
    private int names;
    private Optional<Turn> idle = Optional.empty();

    /** The inputs of a turn; when a turn changed nothing, another with the same inputs would not either. */
    private record Turn(long objects, boolean managing, boolean scheduling) {}

    /** By object identity: a template that stays is not serialized each time. */
    private final IdentityHashMap<Json, String> hashes = new IdentityHashMap<>();

    Controllers(Machine machine) {
        this.machine = machine;
    }

    void act() {
        if (!machine.controllersReachApi()) {
            return;
        }
        Turn turn = new Turn(machine.objects().changes(), works(Role.CONTROLLER_MANAGER), works(Role.SCHEDULER));
        if (idle.equals(Optional.of(turn))) {
            return;
        }
        take(turn);
        idle = machine.objects().changes() == turn.objects() ? Optional.of(turn) : Optional.empty();
    }

    private void take(Turn turn) {
        if (turn.managing()) {
            for (Kept kept : Blueprint.ALL) {
                Optional<Json.Fields> object = machine.objects().get(kept.path());
                object.ifPresent(found -> {
                    if (kept.isDaemonSet()) {
                        daemonSet(kept, found);
                    } else {
                        deployment(kept, found);
                    }
                });
            }
        }
        if (turn.scheduling()) {
            schedule();
        }
    }

    /** Creates and schedules a pod with no controller running, as a pivot leaves it. */
    void createFirst(Kept kept) {
        Json.Fields object = machine.objects().get(kept.path()).orElseThrow();
        if (kept.isDaemonSet()) {
            daemonSet(kept, object);
        } else {
            deployment(kept, object);
        }
        schedule();
    }

    private boolean works(Role role) {
        return machine.kubelet().runs().stream()
                .flatMap(run -> run.program.stream())
                .anyMatch(program -> program.role == role && program.isReady(machine.now()));
    }

    private String hashOf(Json template) {
        return hashes.computeIfAbsent(template, Controllers::hash);
    }

    private static String hash(Json template) {
        int hash = new String(JsonText.write(template), StandardCharsets.UTF_8).hashCode();
        return "%08x".formatted(hash);
    }

    private List<Json.Fields> podsOf(Kept kept) {
        return machine.objects()
                .list(selectors.computeIfAbsent(
                        kept,
                        owner -> new Objects.Selector(
                                "/api/v1/namespaces/" + owner.namespace() + "/pods",
                                Map.of(),
                                Map.of("k8s-app", owner.name()))));
    }

    /** Whether a pod was made from another template than is asked for; one that is being deleted does not count. */
    boolean hasOutdatedPod(Kept kept) {
        return !outdated(kept).isEmpty();
    }

    /** As people do: with update strategy OnDelete the controller does not. */
    void deleteOutdatedPods(Kept kept) {
        outdated(kept).forEach(pod -> delete(kept, pod));
    }

    private List<Json.Fields> outdated(Kept kept) {
        Optional<String> asked = machine.objects().get(kept.path()).map(set -> hashOf(set.at("spec", "template")));
        return podsOf(kept).stream()
                .filter(pod -> asked.isPresent() && !isLeaving(pod))
                .filter(pod -> !pod.at("metadata", "labels", HASH).text().equals(asked))
                .toList();
    }

    private static boolean isFailed(Json pod) {
        return pod.at("status", "phase").text().equals(Optional.of("Failed"));
    }

    private static boolean isLeaving(Json pod) {
        return !pod.at("metadata", DELETED).isNull();
    }

    static boolean isReady(Json pod) {
        return pod.at("status", "conditions").items().stream()
                .anyMatch(condition -> condition.at("status").text().equals(Optional.of("True")));
    }

    private void daemonSet(Kept kept, Json.Fields set) {
        Json template = set.at("spec", "template");
        String hash = hashOf(template);
        nameRevision(kept, set, template, hash);
        boolean wanted = nodeHas(template.at("spec", "nodeSelector"));
        List<Json.Fields> pods = podsOf(kept);
        for (Json.Fields pod : pods) {
            boolean rolls = kept.role() != Role.API_SERVER
                    && !pod.at("metadata", "labels", HASH).text().equals(Optional.of(hash));
            if (isFailed(pod) || !wanted || rolls) {
                delete(kept, pod);
            }
        }
        if (wanted && pods.isEmpty()) {
            create(kept, "DaemonSet", kept.name(), set, template, HASH, hash);
        }
        long ready = pods.stream().filter(Controllers::isReady).count();
        tell(
                kept,
                fields(
                        "observedGeneration",
                        generation(set),
                        "desiredNumberScheduled",
                        wanted ? 1 : 0,
                        "numberReady",
                        (int) ready));
    }

    /** The ControllerRevision with the template gets the newest number; an existing one is renumbered. */
    private void nameRevision(Kept kept, Json.Fields set, Json template, String hash) {
        String prefix = "/apis/apps/v1/namespaces/kube-system/controllerrevisions/" + kept.name() + "-";
        long newest = machine.objects().below(prefix).values().stream()
                .mapToLong(revision -> revision.at("revision").integer().orElse(0))
                .max()
                .orElse(0);
        Optional<Json.Fields> there = machine.objects().get(prefix + hash);
        if (there.isPresent() && there.get().at("revision").integer().orElse(0) == newest) {
            return;
        }
        Json.Fields revision =
                Blueprint.object("apps/v1", "ControllerRevision", Blueprint.SYSTEM, kept.name() + "-" + hash);
        Json.Fields metadata = metadataOf(revision)
                .with("labels", fields("k8s-app", kept.name(), HASH, hash))
                .with("ownerReferences", Json.items(Stream.of(fields("uid", set.at("metadata", "uid")))));
        machine.objects()
                .put(
                        prefix + hash,
                        revision.with("metadata", metadata)
                                .with("revision", Json.number(newest + 1))
                                .with(
                                        "data",
                                        fields(
                                                "spec",
                                                fields(
                                                        "template",
                                                        ((Json.Fields) template)
                                                                .with("$patch", Json.text("replace"))))));
    }

    private boolean nodeHas(Json selector) {
        return machine.objects()
                .get("/api/v1/nodes/" + Blueprint.NODE)
                .filter(node -> selector.fields().keySet().stream()
                        .allMatch(label -> !node.at("metadata", "labels", label).isNull()))
                .isPresent();
    }

    private void deployment(Kept kept, Json.Fields deployment) {
        Json template = deployment.at("spec", "template");
        String hash = hashOf(template);
        List<Json.Fields> living = podsOf(kept).stream()
                .filter(pod -> !isFailed(pod) && !isLeaving(pod))
                .toList();
        List<Json.Fields> current = living.stream()
                .filter(pod ->
                        pod.at("metadata", "labels", "pod-template-hash").text().equals(Optional.of(hash)))
                .toList();
        int replicas = (int) Scaling.replicas(deployment);
        for (int missing = current.size(); missing < replicas; missing++) {
            create(kept, "ReplicaSet", kept.name() + "-" + hash, deployment, template, "pod-template-hash", hash);
        }
        if (replicas == 0 || current.stream().anyMatch(Controllers::isReady)) {
            living.stream().filter(pod -> !current.contains(pod)).forEach(pod -> delete(kept, pod));
        }
        current.stream()
                .sorted(Comparator.comparing(Controllers::isReady))
                .limit(Math.max(0, current.size() - replicas))
                .forEach(pod -> delete(kept, pod));
        long ready = living.stream().filter(Controllers::isReady).count();
        tell(kept, fields("observedGeneration", generation(deployment), "readyReplicas", (int) ready));
    }

    private static int generation(Json controller) {
        return (int) controller.at("metadata", "generation").integer().orElse(0);
    }

    private void tell(Kept kept, Json.Fields status) {
        Json.Fields now = machine.objects().get(kept.path()).orElseThrow();
        if (!now.at("status").equals(status)) {
            machine.objects().put(kept.path(), now.with("status", status));
        }
    }

    private void create(
            Kept kept, String ownerKind, String owner, Json.Fields set, Json template, String label, String hash) {
        String name = owner + "-" + "%05x".formatted(++names);
        Json.Fields ownerReference =
                fields("kind", ownerKind, "name", owner, "uid", set.at("metadata", "uid"), "controller", true);
        Json.Fields metadata = ((Json.Fields) template.at("metadata"))
                .with("name", Json.text(name))
                .with("namespace", Json.text(kept.namespace()))
                .with("creationTimestamp", Json.text(machine.wallClock().toString()))
                .with("labels", fields("k8s-app", kept.name(), label, hash))
                .with("ownerReferences", Json.items(Stream.of(ownerReference)));
        machine.objects()
                .put(
                        Blueprint.PODS.formatted(kept.namespace()) + name,
                        fields("apiVersion", "v1", "kind", "Pod", "metadata", metadata, "spec", template.at("spec")));
        machine.trace().say("controller", "creates " + name);
    }

    private void delete(Kept kept, Json.Fields pod) {
        machine.servers()
                .markDeleted(Blueprint.PODS.formatted(kept.namespace())
                        + pod.at("metadata", "name").text().orElse(""));
    }

    private void schedule() {
        SortedMap<String, Json.Fields> bound = new TreeMap<>();
        machine.objects().below("/api/v1/namespaces/").forEach((path, pod) -> {
            boolean open = path.contains("/pods/")
                    && pod.at("spec", "nodeName").isNull()
                    && !isLeaving(pod)
                    && nodeHas(pod.at("spec", "nodeSelector"));
            if (open) {
                Json.Fields spec = ((Json.Fields) pod.at("spec")).with("nodeName", Json.text(Blueprint.NODE));
                bound.put(path, pod.with("spec", spec));
            }
        });
        bound.forEach(machine.objects()::put);
    }
}
