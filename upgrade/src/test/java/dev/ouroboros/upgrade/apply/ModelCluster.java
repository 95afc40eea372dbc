package dev.ouroboros.upgrade.apply;

import dev.ouroboros.change.decide.HeldRollout;
import dev.ouroboros.change.decide.Rollout;
import dev.ouroboros.cluster.ClusterWriter.Outcome;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.upgrade.decide.Direction;
import dev.ouroboros.upgrade.decide.ObjectName;
import dev.ouroboros.upgrade.decide.RoleMove;
import dev.ouroboros.upgrade.decide.UpgradeStage;
import dev.ouroboros.upgrade.merge.ServerFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * An API server with its controllers: a workload that was written needs some looks until its pods are of the new template. Whoever asks
 * may be killed before or behind any request.
 */
final class ModelCluster implements ApplyApi {
    /** The asker's process is gone. */
    static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private final Map<ObjectName, Json.Fields> objects = new TreeMap<>();
    private final Map<ObjectName, Integer> looksUntilSettled = new TreeMap<>();
    /** How often each object was written. */
    private final Map<ObjectName, Integer> generations = new TreeMap<>();

    private final Random random;
    private long version = 1;
    private int patience = Integer.MAX_VALUE;
    /** In which stages may be written. */
    List<UpgradeStage> order = UpgradeStage.order(Direction.FORWARD);
    /** Stages in the order in which they were written. */
    final List<UpgradeStage> written = new ArrayList<>();

    final List<String> violations = new ArrayList<>();

    /** Which API versions its server knows. */
    Predicate<String> knows = _ -> true;

    /** Somebody gives this object back to what it was, once, when it was written. */
    Optional<ObjectName> aborts = Optional.empty();

    /** Labels of its nodes: two of the control plane, and another one. */
    final Map<String, Set<String>> nodes = new TreeMap<>(Map.of(
            "n1", new TreeSet<>(Set.of("node-role.kubernetes.io/master")),
            "n2", new TreeSet<>(Set.of("node-role.kubernetes.io/master")),
            "worker", new TreeSet<>()));

    /** Hears of each object that was deleted. */
    Consumer<Json> deleted = _ -> {};

    /** What is said of earlier API servers, one word a look. */
    final List<String> earlier = new ArrayList<>();

    /** Its machines as Nodes, where one of them is not ready. */
    List<Json> machines = List.of();

    /** It has all namespaces but this one. */
    String lacksNamespace = "";

    /** Objects of this kind are gone as soon as they were made. */
    String forgets = "";

    private final Map<ObjectName, Json.Fields> ends = new TreeMap<>();

    ModelCluster(Random random) {
        this.random = random;
    }

    /** The process dies at the nth request from now. */
    void killAt(int requests) {
        patience = requests;
    }

    void step() {
        if (patience-- <= 0) {
            patience = Integer.MAX_VALUE;
            throw new Killed();
        }
    }

    Json.Fields get(ObjectName name) {
        return find(name).orElseThrow();
    }

    Optional<Json.Fields> find(ObjectName name) {
        return Optional.ofNullable(objects.get(name));
    }

    /** What somebody does with kubectl; its rollout is over at once. */
    void set(Json object) {
        ObjectName name = ObjectName.of(object);
        store(name, (Json.Fields) object);
        looksUntilSettled.remove(name);
    }

    /** An object that is at its end. */
    void end(Json object, Json.Fields status) {
        set(object);
        ends.put(ObjectName.of(object), status);
    }

    @Override
    public boolean serves(Json manifest) {
        step();
        return knows.test(manifest.at("apiVersion").text().orElseThrow());
    }

    /** In the manifest's version; a server that does not know it has no such object. */
    @Override
    public Optional<Json> read(Json manifest) {
        if (!serves(manifest)) {
            return Optional.empty();
        }
        ObjectName name = ObjectName.of(manifest);
        looksUntilSettled.computeIfPresent(name, (_, looks) -> looks == 0 ? null : looks - 1);
        return Optional.ofNullable(objects.get(name))
                .map(object -> withStatus(name, object.with("apiVersion", manifest.at("apiVersion"))));
    }

    @Override
    public Optional<Json> preview(Json object) {
        step();
        return Optional.of(withDefaults(object));
    }

    @Override
    public Outcome create(Json object) {
        step();
        ObjectName name = ObjectName.of(object);
        if (objects.containsKey(name)) {
            return new Outcome.Conflict();
        }
        if (name.namespace().equals(lacksNamespace)) {
            return new Outcome.Gone();
        }
        object.at("spec", "serviceAccountName")
                .text()
                .filter(account -> find(new ObjectName("", "ServiceAccount", name.namespace(), account))
                        .isEmpty())
                .ifPresent(account -> {
                    throw ProblemException.of(
                            ErrorCode.API_REFUSED,
                            name.toString(),
                            "serviceaccount " + account + " not found",
                            "",
                            "make it first");
                });
        return write(name, object);
    }

    @Override
    public Outcome replace(Json object) {
        step();
        ObjectName name = ObjectName.of(object);
        Json.Fields live = objects.get(name);
        if (live == null) {
            return new Outcome.Gone();
        }
        if (!live.at("metadata", "resourceVersion").equals(object.at("metadata", "resourceVersion"))) {
            return new Outcome.Conflict();
        }
        return write(name, object);
    }

    @Override
    public Outcome delete(Json object) {
        step();
        Json.Fields gone = objects.remove(ObjectName.of(object));
        if (gone != null) {
            deleted.accept(object);
        }
        step();
        return gone == null ? new Outcome.Gone() : new Outcome.Written(gone);
    }

    /** Those that somebody put here. */
    @Override
    public List<Json> pods(String namespace, Map<String, String> labels) {
        step();
        return objects.values().stream()
                .filter(object -> object.at("kind").equals(Json.text("Pod"))
                        && object.at("metadata", "namespace").equals(Json.text(namespace))
                        && labels.entrySet().stream()
                                .allMatch(label -> object.at("metadata", "labels", label.getKey())
                                        .equals(Json.text(label.getValue()))))
                .<Json>map(object -> object.with("status", ends.getOrDefault(ObjectName.of(object), Json.object())))
                .toList();
    }

    @Override
    public List<Json> nodes(Map<String, String> labels) {
        step();
        return nodes.entrySet().stream()
                .filter(node -> node.getValue().containsAll(labels.keySet()))
                .<Json>map(node -> Json.object().with("metadata", Json.object().with("name", Json.text(node.getKey()))))
                .toList();
    }

    @Override
    public void label(RoleMove move) {
        for (Set<String> labels : nodes.values()) {
            step();
            if (labels.containsAll(move.from())) {
                labels.addAll(move.to());
            }
        }
    }

    @Override
    public HeldRollout held(Json daemonSet) {
        step();
        long generation = 1L + generations.getOrDefault(ObjectName.of(daemonSet), 0);
        Json.Fields metadata = ((Json.Fields) daemonSet.at("metadata"))
                .with(
                        "annotations",
                        Json.object().with(HeldRollout.SET_GENERATION, Json.text(Long.toString(generation))));
        return HeldRollout.of(
                ((Json.Fields) daemonSet).with("metadata", metadata), pods("kube-system", Map.of()), machines);
    }

    @Override
    public Optional<String> earlierServers(Json daemonSet) {
        step();
        return earlier.isEmpty() ? Optional.empty() : Optional.of(earlier.removeFirst());
    }

    private List<String> selected(Json workload) {
        Set<String> wanted =
                workload.at("spec", "template", "spec", "nodeSelector").fields().keySet();
        return nodes.keySet().stream()
                .filter(node -> nodes.getOrDefault(node, Set.of()).containsAll(wanted))
                .toList();
    }

    private Outcome write(ObjectName name, Json object) {
        boolean makesPods = !object.at("spec", "template", "spec").isNull();
        UpgradeStage stage = UpgradeStage.of(name, makesPods);
        if (!serves(object)) {
            violations.add(name + " was written in a version that the server does not know");
        }
        for (ObjectName other : looksUntilSettled.keySet()) {
            if (order.indexOf(UpgradeStage.of(other, true)) < order.indexOf(stage)) {
                violations.add(name + " was written while " + other + " was not at rest");
            }
        }
        boolean isNewer = stage == UpgradeStage.SCHEDULER || stage == UpgradeStage.PROXY;
        if (isNewer && !earlier.isEmpty() && order.equals(UpgradeStage.order(Direction.FORWARD))) {
            violations.add(name + " was written while there was " + earlier);
        }
        written.add(stage);
        generations.merge(name, 1, Integer::sum);
        Optional<Json.Fields> before = find(name);
        if (before.isPresent() && !selected(object).equals(selected(before.get()))) {
            violations.add(name + " was on " + selected(before.get()) + " and is to be on " + selected(object));
        }
        store(name, (Json.Fields) object);
        Json.Fields stored = get(name);
        if (object.at("kind").equals(Json.text(forgets))) {
            objects.remove(name);
        }
        if (aborts.equals(Optional.of(name))) {
            aborts = Optional.empty();
            before.ifPresent(this::set);
            return new Outcome.Written(stored);
        }
        if (makesPods) {
            looksUntilSettled.put(name, random.nextInt(5));
        }
        step();
        return new Outcome.Written(stored);
    }

    private void store(ObjectName name, Json.Fields object) {
        Json.Fields plain = (Json.Fields) withDefaults(ServerFields.without(object));
        Json.Fields metadata = ((Json.Fields) plain.at("metadata"))
                .with("resourceVersion", Json.text(Long.toString(version++)))
                .with("uid", Json.text(name.toString()));
        objects.put(name, plain.with("metadata", metadata));
    }

    /** Servers add what nobody said. */
    private static Json withDefaults(Json object) {
        Json.Fields fields = (Json.Fields) object;
        return fields.at("spec") instanceof Json.Fields spec
                        && spec.at("revisionHistoryLimit").isNull()
                ? fields.with("spec", spec.with("revisionHistoryLimit", Json.number(10)))
                : fields;
    }

    private Json withStatus(ObjectName name, Json.Fields object) {
        if (ends.containsKey(name)) {
            return object.with("status", ends.getOrDefault(name, Json.object()));
        }
        long ready = looksUntilSettled.containsKey(name) ? 0 : 1;
        Json.Fields status = Json.object();
        for (String field : List.of("updatedReplicas", "availableReplicas", "replicas", "updatedNumberScheduled")) {
            status = status.with(field, Json.number(ready));
        }
        status = status.with("desiredNumberScheduled", Json.number(1)).with("numberReady", Json.number(ready));
        Json.Fields shown = object.with("status", status);
        if (ObjectName.WORKLOADS.contains(name.kind())) {
            Rollout rollout =
                    name.kind().equals("Deployment") ? Rollout.ofDeployment(shown) : Rollout.ofDaemonSet(shown);
            if (ready == 1 && !(rollout instanceof Rollout.Settled)) {
                throw new AssertionError(rollout.toString());
            }
        }
        return shown;
    }
}
