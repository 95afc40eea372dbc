package dev.ouroboros.sim;

import static dev.ouroboros.sim.Blueprint.fields;
import static dev.ouroboros.sim.Blueprint.metadataOf;

import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.manifest.RevisionHash;
import dev.ouroboros.sim.Blueprint.Kept;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
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
    private static final String DELETED = "deletionTimestamp";
    private static final Duration LOST_AFTER = Duration.ofSeconds(40);

    private final ClusterModel cluster;
    private final Map<Kept, Objects.Selector> selectors = new HashMap<>();
    private int names;
    private Optional<Turn> idle = Optional.empty();

    /** The inputs of a turn; when a turn changed nothing, another with the same inputs would not either. */
    private record Turn(long objects, boolean managing, boolean scheduling, List<Machine> lost) {}

    /** By object identity: a template that stays is not serialized each time. */
    private final IdentityHashMap<Json, String> hashes = new IdentityHashMap<>();

    Controllers(ClusterModel cluster) {
        this.cluster = cluster;
    }

    void act() {
        Turn turn =
                new Turn(cluster.objects().changes(), works(Role.CONTROLLER_MANAGER), works(Role.SCHEDULER), lost());
        if (idle.equals(Optional.of(turn))) {
            return;
        }
        take(turn);
        idle = cluster.objects().changes() == turn.objects() ? Optional.of(turn) : Optional.empty();
    }

    private void take(Turn turn) {
        if (turn.managing()) {
            turn.lost().forEach(this::loseNode);
            for (Kept kept : Blueprint.ALL) {
                Optional<Json.Fields> object = cluster.objects().get(kept.path());
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
            schedule(turn.lost());
        }
    }

    /** Nodes whose kubelets have said nothing for long (--node-monitor-grace-period); where there is one machine, nobody could go elsewhere. */
    private List<Machine> lost() {
        if (!cluster.hasSeveral()) {
            return List.of();
        }
        return cluster.machines().stream()
                .filter(machine -> machine.kubelet().isSilentFor(LOST_AFTER))
                .toList();
    }

    /** Its pods count as not ready; those that a DaemonSet has not put there go elsewhere. */
    private void loseNode(Machine machine) {
        Blueprint.setReady(cluster.objects(), machine, "Unknown");
        String prefix = "/api/v1/namespaces/";
        SortedMap<String, Json.Fields> changed = new TreeMap<>();
        List<String> evicted = new ArrayList<>();
        cluster.objects().below(prefix).forEach((path, pod) -> {
            if (!path.contains("/pods/") || !isOn(pod, machine)) {
                return;
            }
            if (isReady(pod)) {
                Json.Fields status = ((Json.Fields) pod.at("status"))
                        .with("conditions", Json.items(Stream.of(fields("type", "Ready", "status", "False"))));
                changed.put(path, pod.with("status", status));
            }
            if (pod.at("metadata", "ownerReferences").items().stream()
                            .anyMatch(owner -> owner.at("kind").text().equals(Optional.of("ReplicaSet")))
                    && !isLeaving(pod)) {
                evicted.add(path);
            }
        });
        changed.forEach(cluster.objects()::put);
        evicted.forEach(cluster::markDeleted);
    }

    private static boolean isOn(Json pod, Machine machine) {
        return pod.at("spec", "nodeName").text().equals(Optional.of(machine.name()));
    }

    /** Creates and schedules a pod with no controller running, as a pivot leaves it. */
    void createFirst(Kept kept) {
        Json.Fields object = cluster.objects().get(kept.path()).orElseThrow();
        if (kept.isDaemonSet()) {
            daemonSet(kept, object);
        } else {
            deployment(kept, object);
        }
        schedule(List.of());
    }

    private boolean works(Role role) {
        return cluster.machines().stream()
                .filter(Machine::controllersReachApi)
                .flatMap(machine -> machine.kubelet().runs().stream())
                .flatMap(run -> run.program.stream())
                .anyMatch(program -> program.role == role && program.isReady(cluster.now()));
    }

    private String hashOf(Json template) {
        return hashes.computeIfAbsent(template, Controllers::hash);
    }

    private static String hash(Json template) {
        int hash = new String(JsonText.write(template), StandardCharsets.UTF_8).hashCode();
        return "%08x".formatted(hash);
    }

    private List<Json.Fields> podsOf(Kept kept) {
        return cluster.objects()
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
        Optional<String> asked = cluster.objects().get(kept.path()).map(set -> hashOf(set.at("spec", "template")));
        return podsOf(kept).stream()
                .filter(pod -> asked.isPresent() && !isLeaving(pod))
                .filter(pod -> !RevisionHash.of(pod).equals(asked))
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
        List<Json.Fields> pods = podsOf(kept);
        int nodes = 0;
        for (Machine machine : cluster.machines()) {
            boolean wanted = nodeHas(machine, template.at("spec", "nodeSelector"));
            nodes += wanted ? 1 : 0;
            keepOne(kept, set, machine, pods, wanted ? Optional.of(hash) : Optional.empty());
        }
        long ready = pods.stream().filter(Controllers::isReady).count();
        Json.Fields status = fields(
                "observedGeneration", generation(set), "desiredNumberScheduled", nodes, "numberReady", (int) ready);
        long updated = pods.stream()
                .filter(pod -> RevisionHash.of(pod).equals(Optional.of(hash)))
                .count();
        tell(kept, cluster.hasSeveral() ? status.with("updatedNumberScheduled", Json.number(updated)) : status);
    }

    /** @param hash of the template; empty when the node is to have no pod */
    private void keepOne(Kept kept, Json.Fields set, Machine machine, List<Json.Fields> all, Optional<String> hash) {
        List<Json.Fields> pods =
                all.stream().filter(pod -> isMeantFor(pod, machine)).toList();
        // One after the other, as with maxUnavailable of one.
        boolean othersServe = all.stream().filter(pod -> !pods.contains(pod)).allMatch(Controllers::isReady);
        for (Json.Fields pod : pods) {
            boolean rolls =
                    kept.role() != Role.API_SERVER && !RevisionHash.of(pod).equals(hash) && othersServe;
            if (isFailed(pod) || hash.isEmpty() || rolls) {
                delete(kept, pod);
            }
        }
        if (hash.isPresent() && pods.isEmpty()) {
            Json.Fields template = (Json.Fields) set.at("spec", "template");
            Json.Fields spec = (Json.Fields) template.at("spec");
            Json.Fields here = cluster.hasSeveral() ? spec.with("affinity", to(machine)) : spec;
            create(kept, "DaemonSet", kept.name(), set, template.with("spec", here), RevisionHash.LABEL, hash.get());
        }
    }

    /** As the DaemonSet controller binds a pod to a node. */
    private static Json to(Machine machine) {
        Json.Fields term = fields(
                "matchFields",
                List.of(fields(
                        "key", "metadata.name", "operator", "In", "values", Json.texts(List.of(machine.name())))));
        return fields(
                "nodeAffinity",
                fields("requiredDuringSchedulingIgnoredDuringExecution", fields("nodeSelectorTerms", List.of(term))));
    }

    private boolean isMeantFor(Json pod, Machine machine) {
        Json affinity = pod.at("spec", "affinity");
        return affinity.isNull() ? !cluster.hasSeveral() || isOn(pod, machine) : affinity.equals(to(machine));
    }

    /** The ControllerRevision with the template gets the newest number; an existing one is renumbered. */
    private void nameRevision(Kept kept, Json.Fields set, Json template, String hash) {
        String prefix = "/apis/apps/v1/namespaces/kube-system/controllerrevisions/" + kept.name() + "-";
        long newest = cluster.objects().below(prefix).values().stream()
                .mapToLong(revision -> revision.at("revision").integer().orElse(0))
                .max()
                .orElse(0);
        Optional<Json.Fields> there = cluster.objects().get(prefix + hash);
        if (there.isPresent() && there.get().at("revision").integer().orElse(0) == newest) {
            return;
        }
        Json.Fields revision =
                Blueprint.object("apps/v1", "ControllerRevision", Blueprint.SYSTEM, kept.name() + "-" + hash);
        Json.Fields metadata = metadataOf(revision)
                .with("labels", fields("k8s-app", kept.name(), RevisionHash.LABEL, hash))
                .with("ownerReferences", Json.items(Stream.of(fields("uid", set.at("metadata", "uid")))));
        cluster.objects()
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

    private boolean nodeHas(Machine machine, Json selector) {
        return cluster.objects()
                .get(Blueprint.nodePath(machine.name()))
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
        Json.Fields now = cluster.objects().get(kept.path()).orElseThrow();
        if (!now.at("status").equals(status)) {
            cluster.objects().put(kept.path(), now.with("status", status));
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
                .with("creationTimestamp", Json.text(cluster.first().wallClock().toString()))
                .with("labels", fields("k8s-app", kept.name(), label, hash))
                .with("ownerReferences", Json.items(Stream.of(ownerReference)));
        cluster.objects()
                .put(
                        Blueprint.PODS.formatted(kept.namespace()) + name,
                        fields("apiVersion", "v1", "kind", "Pod", "metadata", metadata, "spec", template.at("spec")));
        cluster.trace().say("controller", "creates " + name);
    }

    private void delete(Kept kept, Json.Fields pod) {
        cluster.markDeleted(Blueprint.PODS.formatted(kept.namespace())
                + pod.at("metadata", "name").text().orElse(""));
    }

    /** @param lost where nothing is placed */
    private void schedule(List<Machine> lost) {
        SortedMap<String, Json.Fields> open = new TreeMap<>();
        cluster.objects().below("/api/v1/namespaces/").forEach((path, pod) -> {
            if (path.contains("/pods/") && pod.at("spec", "nodeName").isNull() && !isLeaving(pod)) {
                open.put(path, pod);
            }
        });
        open.forEach((path, pod) -> place(pod, lost).ifPresent(machine -> {
            Json.Fields spec = ((Json.Fields) pod.at("spec")).with("nodeName", Json.text(machine.name()));
            cluster.objects().put(path, pod.with("spec", spec));
        }));
    }

    /** Where the fewest of its kind are. A DaemonSet's pods tolerate a node that is lost. */
    private Optional<Machine> place(Json pod, List<Machine> lost) {
        boolean isBound = !pod.at("spec", "affinity").isNull();
        return cluster.machines().stream()
                .filter(machine -> nodeHas(machine, pod.at("spec", "nodeSelector")))
                .filter(machine -> isBound ? isMeantFor(pod, machine) : !lost.contains(machine))
                .min(Comparator.comparingLong(machine -> ofItsKind(pod, machine)));
    }

    private long ofItsKind(Json pod, Machine machine) {
        Json kind = pod.at("metadata", "labels", "k8s-app");
        return cluster.objects().below("/api/v1/namespaces/").entrySet().stream()
                .filter(entry -> entry.getKey().contains("/pods/"))
                .map(Map.Entry::getValue)
                .filter(other -> isOn(other, machine)
                        && !isLeaving(other)
                        && other.at("metadata", "labels", "k8s-app").equals(kind))
                .count();
    }
}
