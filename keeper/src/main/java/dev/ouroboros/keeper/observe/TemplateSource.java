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
import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Checkpointing;
import dev.ouroboros.model.checkpoint.References;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.StaticPodRules;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.version.KubernetesVersion;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * What the API server's DaemonSet asks for. Which pods were made from its present template is told as the DaemonSet controller itself
 * tells it: a pod carries the hash of its ControllerRevision, and the newest ControllerRevision that holds the template is the present
 * one. Comparing pods with templates would not do: admission may add to a pod what no template says.
 */
final class TemplateSource {
    static final String HASH = "controller-revision-hash";

    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    private final Api client;
    private final ClusterGuard guard;
    private final ApiSources api;
    private final String nodeName;
    private final StaticPodRules rules;
    private final Function<ApiObject, Evidence<Optional<Json>>> lookup;
    private final Signal changed;
    private final AtomicReference<Named> named = new AtomicReference<>(new Named("", Json.absent(), Optional.empty()));
    private Optional<Judged> last = Optional.empty();
    private Optional<Compared> compared = Optional.empty();
    private final Derived<Asked> asked = new Derived<>();

    /**
     * The hash of a DaemonSet's template. It is not looked up by generation: after etcd was restored from a backup, another template may
     * have the same one.
     */
    private record Named(String uid, Json template, Optional<String> hash) {
        boolean isOf(Json set) {
            return uid.equals(TemplateSource.uid(set)) && template.equals(set.at("spec", "template"));
        }
    }

    /** The pod that a DaemonSet makes, and what it refers to. */
    private record Asked(Json pod, Set<ApiObject> references) {
        static Asked of(Json.Fields set) {
            Json pod = podOf(set);
            return new Asked(pod, Set.copyOf(References.of(pod).toRead()));
        }
    }

    private record Inputs(Json template, KubernetesVersion kubelet, Map<ApiObject, Evidence<Optional<Json>>> objects) {}

    private record Judged(Inputs inputs, Evidence<Checkpointing.Result> result, Optional<Revised> made) {}

    /** Comparing reads keys and certificates: once for each pair of revisions, not at each decision. */
    private record Compared(Revision running, Revision next, List<Problem> conflicts) {}

    TemplateSource(
            Api client,
            ClusterGuard guard,
            ApiSources api,
            String nodeName,
            StaticPodRules rules,
            Function<ApiObject, Evidence<Optional<Json>>> lookup,
            Signal changed) {
        this.client = client;
        this.guard = guard;
        this.api = api;
        this.nodeName = nodeName;
        this.rules = rules;
        this.lookup = lookup;
        this.changed = changed;
    }

    void start(Lookouts lookouts) {
        lookouts.repeatAndWhenRestEnds("template", () -> {
            look();
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
                .flatMap(revision -> revision.at("metadata", "labels", HASH).text());
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

    /** What must be read for the template. */
    Set<ApiObject> references() {
        return daemonSet()
                .orElse(Optional.empty())
                .map(set -> asked(set).references())
                .orElse(Set.of());
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
        if (!(daemonSet() instanceof Evidence.Known<Optional<Json.Fields>>(Optional<Json.Fields> set))) {
            return Evidence.unknown("the DaemonSets of kube-system are not known");
        }
        if (set.isEmpty()) {
            return Evidence.known(Optional.empty());
        }
        if (!(kubelet instanceof Evidence.Known<KubernetesVersion>(KubernetesVersion version))) {
            return Evidence.unknown("the version of the kubelet is not known");
        }
        ComponentName component = component(set.get());
        Judged judged = judge(set.get(), version);
        return switch (judged.result()) {
            case Evidence.Unknown<Checkpointing.Result>(String reason) -> Evidence.unknown(reason);
            case Evidence.Known<Checkpointing.Result>(Checkpointing.Result result) ->
                Evidence.known(Optional.of(
                        target(set.get(), component, made(result, judged.made(), running.apply(component)), pods)));
        };
    }

    private Target target(Json.Fields set, ComponentName component, Made made, List<PodSummary> pods) {
        Map<String, String> madeFrom = new HashMap<>();
        for (PodSummary pod : pods) {
            if (pod.identity().component().equals(component) && !pod.identity().isStatic()) {
                pod.object()
                        .flatMap(object -> object.at("metadata", "labels", HASH).text())
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

    private Asked asked(Json.Fields set) {
        return asked.of(() -> List.of(set), () -> Asked.of(set));
    }

    private Judged judge(Json.Fields set, KubernetesVersion kubelet) {
        Asked now = asked(set);
        Json pod = now.pod();
        Map<ApiObject, Evidence<Optional<Json>>> objects = new HashMap<>();
        for (ApiObject reference : now.references()) {
            objects.put(reference, lookup.apply(reference));
        }
        Inputs inputs = new Inputs(pod, kubelet, objects);
        if (last.isEmpty() || !last.get().inputs().equals(inputs)) {
            Evidence<Checkpointing.Result> result = new Checkpointing(rules, kubelet)
                    .of(
                            pod,
                            reference ->
                                    objects.getOrDefault(reference, Evidence.unknown(reference + ": not read yet")));
            Optional<Revised> made = result
                            instanceof
                            Evidence.Known<Checkpointing.Result>(Checkpointing.Result.Complete(Checkpoint checkpoint))
                    ? Optional.of(Revised.of(checkpoint))
                    : Optional.empty();
            last = Optional.of(new Judged(inputs, result, made));
        }
        return last.get();
    }

    /** @param next what the template makes, when that is complete */
    private Made made(Checkpointing.Result result, Optional<Revised> next, Optional<Revised> running) {
        if (result instanceof Checkpointing.Result.Refused(List<Problem> problems)) {
            return new Made.Refused(Optional.empty(), problems);
        }
        Revised complete = next.orElseThrow();
        List<Problem> conflicts = running.map(now -> conflicts(now, complete)).orElse(List.of());
        return conflicts.isEmpty()
                ? new Made.Complete(complete.revision())
                : new Made.Refused(Optional.of(complete.revision()), conflicts);
    }

    private List<Problem> conflicts(Revised running, Revised next) {
        boolean known = compared.filter(before -> before.running().equals(running.revision())
                        && before.next().equals(next.revision()))
                .isPresent();
        if (!known) {
            compared = Optional.of(new Compared(
                    running.revision(),
                    next.revision(),
                    ChangeCheck.conflicts(running.checkpoint(), next.checkpoint())));
        }
        return compared.orElseThrow().conflicts();
    }

    /** The checkpoint that the template makes, if that is its revision still. */
    synchronized Optional<Checkpoint> checkpoint(Revision revision) {
        return last.flatMap(Judged::made)
                .filter(made -> made.revision().equals(revision))
                .map(Revised::checkpoint);
    }

    /** The template as the pod that would be made of it. */
    private static Json podOf(Json.Fields set) {
        Json template = set.at("spec", "template");
        Json.Fields metadata = template.at("metadata") instanceof Json.Fields fields ? fields : Json.object();
        return Json.object()
                .with(
                        "metadata",
                        metadata.with("name", set.at("metadata", "name"))
                                .with("namespace", set.at("metadata", "namespace")))
                .with("spec", template.at("spec"));
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
