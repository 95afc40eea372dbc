package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.keeper.decide.ChangeReport;
import dev.ouroboros.keeper.decide.ChangeSeen.Made;
import dev.ouroboros.keeper.decide.ChangeSeen.Others;
import dev.ouroboros.keeper.decide.ChangeSeen.Target;
import dev.ouroboros.keeper.template.ChangeCheck;
import dev.ouroboros.keeper.template.Template;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Checkpointing;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.RevisionHash;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.version.KubernetesVersion;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What the API server's DaemonSet asks for. Which pods were made from its present template is told as the DaemonSet controller itself
 * tells it: a pod carries the hash of its ControllerRevision, and the newest ControllerRevision that holds the template is the present
 * one. Comparing pods with templates would not do: admission may add to a pod what no template says.
 */
final class TemplateSource {

    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    private final Api client;
    private final ClusterGuard guard;
    private final ApiSources api;
    private final String nodeName;
    private final CheckpointMaker checkpoints;
    private final OtherServerPods otherServers;
    private final Signal changed;
    private final AtomicReference<Named> named = new AtomicReference<>(new Named("", Json.absent(), Optional.empty()));
    private final Derived<Json> asked = new Derived<>();
    private final Map<String, CheckpointMaker.Attempt> madeElsewhere = new HashMap<>();
    private Optional<CheckpointMaker.Attempt> last = Optional.empty();
    private Conflicts conflicts = new Conflicts(List.of(), List.of(), List.of());

    /**
     * The hash of a DaemonSet's template. It is not looked up by generation: after etcd was restored from a backup, another template may
     * have the same one.
     */
    private record Named(String uid, Json template, Optional<String> hash) {
        boolean isOf(Json set) {
            return uid.equals(TemplateSource.uid(set)) && template.equals(set.at("spec", "template"));
        }
    }

    /**
     * Comparing reads keys and certificates: once for the same revisions, not at each decision.
     *
     * @param of the revision of the template, what runs here and what others run
     */
    private record Conflicts(List<Object> of, List<Problem> own, List<Problem> ofOthers) {}

    TemplateSource(
            Api client,
            ClusterGuard guard,
            ApiSources api,
            String nodeName,
            CheckpointMaker checkpoints,
            InstantSource clock,
            Signal changed) {
        this.client = client;
        this.guard = guard;
        this.api = api;
        this.nodeName = nodeName;
        this.checkpoints = checkpoints;
        this.otherServers = new OtherServerPods(client, guard, nodeName, clock, changed);
        this.changed = changed;
    }

    void start(Lookouts lookouts) {
        lookouts.repeatAndWhenRestEnds("template", () -> {
            look();
            controller().orElse(Optional.empty()).ifPresent(otherServers::look);
            return changed.sparing(LOOK_EVERY);
        });
    }

    /** Asks for ControllerRevisions only while the hash of the present template is not known. */
    private void look() {
        Optional<Json.Fields> set = daemonSet().orElse(Optional.empty());
        if (set.isEmpty()) {
            return;
        }
        Named before = named.get();
        if (before.isOf(set.get()) && before.hash().isPresent()) {
            return;
        }
        String uid = uid(set.get());
        Json template = set.get().at("spec", "template");
        try {
            guard.require();
            Optional<String> hash = hashOf(set.get());
            named.set(new Named(uid, template, hash));
            if (!hash.equals(before.hash())) {
                changed.raise();
            }
        } catch (ApiException e) {
            // Asked again in a second; until then it is not known which pods are of the template.
            named.set(new Named(uid, template, Optional.empty()));
        }
    }

    private Optional<String> hashOf(Json set) throws ApiException {
        ApiPath revisions = ApiPath.of("apps/v1", Belonging.SYSTEM, "controllerrevisions");
        Json template = set.at("spec", "template");
        return client.get(revisions.with("labelSelector", ControllerSeen.podSelector(set))).at("items").items().stream()
                .filter(revision -> revision.at("metadata", "ownerReferences").items().stream()
                        .anyMatch(owner -> owner.at("uid").text().equals(Optional.of(uid(set)))))
                .filter(revision -> Template.areSame(revision.at("data", "spec", "template"), template))
                .max(Comparator.comparingLong(
                        revision -> revision.at("revision").integer().orElse(0)))
                .flatMap(RevisionHash::of);
    }

    /** The DaemonSet of the API server, when it leaves replacing pods to us. */
    Evidence<Optional<Json.Fields>> daemonSet() {
        return controller().map(found -> found.flatMap(ControllerSeen::object));
    }

    private Evidence<Optional<ControllerSeen>> controller() {
        return api.daemonSets()
                .map(sets -> sets.values().stream()
                        .filter(set -> set.role() == Role.API_SERVER && set.asks())
                        .filter(set -> set.object()
                                .map(object -> object.at("spec", "updateStrategy", "type"))
                                .equals(Optional.of(Json.text("OnDelete"))))
                        .findFirst());
    }

    /** What is known of the servers that the template must get along with. */
    Evidence<SortedMap<String, Json>> otherServers() {
        return controller()
                .orElse(Optional.empty())
                .map(otherServers::of)
                .orElseGet(() -> Evidence.known(new TreeMap<>()));
    }

    /** The pod of the template, and those of other nodes that it must get along with. */
    List<Json> podsToRead() {
        Optional<ControllerSeen> controller = controller().orElse(Optional.empty());
        return controller
                .flatMap(ControllerSeen::object)
                .map(set -> Stream.concat(
                                Stream.of(asked(set)),
                                otherServers
                                        .of(controller.get())
                                        .orElse(Collections.emptySortedMap())
                                        .values()
                                        .stream())
                        .toList())
                .orElse(List.of());
    }

    /**
     * What it asks for.
     *
     * @param pods of this node that live
     * @param running what the living pod is made of, to compare with
     */
    synchronized Evidence<Optional<Target>> target(
            List<PodSummary> pods,
            Evidence<KubernetesVersion> kubelet,
            Function<ComponentName, Optional<Revised>> running) {
        if (!(controller() instanceof Evidence.Known<Optional<ControllerSeen>>(Optional<ControllerSeen> controller))) {
            return Evidence.unknown("the DaemonSets of kube-system are not known");
        }
        if (controller.isEmpty()) {
            return Evidence.known(Optional.empty());
        }
        if (!(kubelet instanceof Evidence.Known<KubernetesVersion>(KubernetesVersion version))) {
            return Evidence.unknown("the version of the kubelet is not known");
        }
        Json.Fields set = controller.get().object().orElseThrow();
        ComponentName component = component(set);
        CheckpointMaker.Attempt next = checkpoints.make(asked(set), version, last);
        last = Optional.of(next);
        return otherServers
                .of(controller.get())
                .flatMap(others -> revised(others, version))
                .flatMap(others -> next.result()
                        .map(result -> Optional.of(
                                target(set, component, made(result, next, running.apply(component), others), pods))));
    }

    /** What the API servers of other nodes are made of; those that cannot be understudies are not compared, as here. */
    private Evidence<SortedMap<String, Revised>> revised(SortedMap<String, Json> others, KubernetesVersion kubelet) {
        madeElsewhere.keySet().retainAll(others.keySet());
        SortedMap<String, Revised> revised = new TreeMap<>();
        for (Map.Entry<String, Json> pod : others.entrySet()) {
            String name = pod.getKey();
            CheckpointMaker.Attempt made =
                    checkpoints.make(pod.getValue(), kubelet, Optional.ofNullable(madeElsewhere.get(name)));
            madeElsewhere.put(name, made);
            if (made.result() instanceof Evidence.Unknown<Checkpointing.Result>(String why)) {
                return Evidence.unknown("API server " + name + ": " + why);
            }
            made.complete().ifPresent(known -> revised.put(name, known));
        }
        return Evidence.known(revised);
    }

    private Target target(Json.Fields set, ComponentName component, Made made, List<PodSummary> pods) {
        Map<String, String> madeFrom = new HashMap<>();
        for (PodSummary pod : pods) {
            if (pod.identity().component().equals(component) && !pod.identity().isStatic()) {
                pod.object()
                        .flatMap(RevisionHash::of)
                        .ifPresent(hash -> madeFrom.put(pod.pod().uid(), hash));
            }
        }
        Named now = named.get();
        Optional<String> current = now.isOf(set) ? now.hash() : Optional.empty();
        return new Target(
                component,
                made,
                madeFrom,
                current,
                annotation(set, ChangeReport.PAUSED_ANNOTATION).equals("true"),
                annotation(set, ChangeReport.RETRY_ANNOTATION),
                reported(set),
                others(set));
    }

    private Others others(Json.Fields set) {
        Optional<ControllerSeen> controller = controller().orElse(Optional.empty());
        String wrote = annotation(set, ChangeReport.NODE_ANNOTATION);
        boolean several = controller.filter(seen -> seen.replicas() > 1).isPresent();
        return new Others(
                several,
                wrote.equals(nodeName) ? "" : wrote,
                annotation(set, ChangeReport.TRIED_ANNOTATION),
                several && controller.orElseThrow().hasOutdatedPods());
    }

    static Optional<ChangeReport> reported(Json.Fields set) {
        String step = annotation(set, ChangeReport.STATE_ANNOTATION);
        return step.isEmpty()
                ? Optional.empty()
                : Optional.of(new ChangeReport(
                        step,
                        Optional.of(annotation(set, ChangeReport.REVISION_ANNOTATION))
                                .filter(Revision::isWhole)
                                .map(Revision::new),
                        annotation(set, ChangeReport.MESSAGE_ANNOTATION)));
    }

    private Json asked(Json.Fields set) {
        return asked.of(() -> List.of(set), () -> Template.podOf(set));
    }

    /** @param others what the servers of other nodes are made of, by node and pod */
    private Made made(
            Checkpointing.Result result,
            CheckpointMaker.Attempt next,
            Optional<Revised> running,
            SortedMap<String, Revised> others) {
        if (result instanceof Checkpointing.Result.Refused(List<Problem> problems)) {
            return new Made.Refused(Optional.empty(), problems, false);
        }
        Revised complete = next.complete().orElseThrow();
        Conflicts found = conflicts(running, complete, others);
        List<Problem> all =
                Stream.concat(found.own().stream(), found.ofOthers().stream()).toList();
        return all.isEmpty()
                ? new Made.Complete(complete.revision())
                : new Made.Refused(
                        Optional.of(complete.revision()), all, !found.ofOthers().isEmpty());
    }

    private Conflicts conflicts(Optional<Revised> running, Revised next, SortedMap<String, Revised> others) {
        SortedMap<String, Revision> revisions = new TreeMap<>();
        others.forEach((server, made) -> revisions.put(server, made.revision()));
        List<Object> of = List.of(next.revision(), running.map(Revised::revision), revisions);
        if (!conflicts.of().equals(of)) {
            Optional<Checkpoint> now = running.map(Revised::checkpoint);
            conflicts = new Conflicts(
                    of,
                    now.map(checkpoint -> ChangeCheck.conflicts(checkpoint, next.checkpoint()))
                            .orElse(List.of()),
                    others.entrySet().stream()
                            .flatMap(other -> ChangeCheck.conflictsBeside(
                                    other.getKey(), other.getValue().checkpoint(), now, next.checkpoint())
                                    .stream())
                            .toList());
        }
        return conflicts;
    }

    /** The checkpoint that the template makes, if that is its revision still. */
    synchronized Optional<Checkpoint> checkpoint(Revision revision) {
        return last.flatMap(CheckpointMaker.Attempt::complete)
                .filter(made -> made.revision().equals(revision))
                .map(Revised::checkpoint);
    }

    static ComponentName component(Json set) {
        return new ComponentName(
                set.at("metadata", "namespace").text().orElse(""),
                set.at("metadata", "name").text().orElse(""));
    }

    static String uid(Json set) {
        return set.at("metadata", "uid").text().orElse("");
    }

    static String annotation(Json set, String name) {
        return set.at("metadata", "annotations", name).text().orElse("");
    }
}
