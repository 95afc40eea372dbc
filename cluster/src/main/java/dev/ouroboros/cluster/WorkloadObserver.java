package dev.ouroboros.cluster;

import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.Reflector;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.ReadyCondition;
import dev.ouroboros.model.manifest.WorkloadReference;
import dev.ouroboros.model.start.SelfHostedWorkload;
import dev.ouroboros.model.start.SelfHostedWorkload.UnreadyContainer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Watches workloads and their pods and tells how ready they are for one node: of a DaemonSet the node's own pod counts, of a Deployment any one pod.
 * Machines that the API still tells of may be gone, after a restore or for good: pods on them are not waited for.
 */
public final class WorkloadObserver implements AutoCloseable {
    private static final String APPS = "apps/v1";

    private final List<WorkloadReference> workloads;
    private final String node;
    private final FormerLife former;
    private final FollowedCollections followed;
    private final SortedMap<String, Namespace> namespaces = new TreeMap<>();

    /** What is followed of one namespace. */
    private record Namespace(
            Reflector<Json> daemonSets, Reflector<Json> deployments, Reflector<Json> pods, Reflector<Json> revisions) {
        Evidence<Objects> objects() {
            return daemonSets
                    .value()
                    .flatMap(sets -> deployments
                            .value()
                            .flatMap(deployed -> pods.value()
                                    .flatMap(all ->
                                            revisions.value().map(old -> new Objects(sets, deployed, all, old)))));
        }
    }

    /** The objects of one namespace, by namespace and name. */
    private record Objects(
            SortedMap<String, Json> daemonSets,
            SortedMap<String, Json> deployments,
            SortedMap<String, Json> pods,
            SortedMap<String, Json> revisions) {}

    /**
     * Begins to watch.
     *
     * @param node whose DaemonSet pods count, and are compared with the present templates
     * @param former tells which pods count as gone, whatever their status says
     * @param changed called from any thread whenever something may have changed
     */
    public WorkloadObserver(
            ClusterClient client, List<WorkloadReference> workloads, String node, FormerLife former, Runnable changed) {
        this.node = node;
        this.workloads = List.copyOf(workloads);
        this.former = former;
        this.followed = new FollowedCollections(client, changed);
        workloads.stream()
                .map(WorkloadReference::namespace)
                .distinct()
                .forEach(namespace -> namespaces.put(namespace, follow(namespace)));
    }

    private Namespace follow(String namespace) {
        return new Namespace(
                follow(namespace, ApiPath.of(APPS, namespace, "daemonsets")),
                follow(namespace, ApiPath.of(APPS, namespace, "deployments")),
                follow(namespace, ApiPath.core(namespace, "pods")),
                followed.follow(
                        namespace + "/controllerrevisions",
                        ApiPath.of(APPS, namespace, "controllerrevisions"),
                        WorkloadObserver::withoutTemplate));
    }

    private Reflector<Json> follow(String namespace, ApiPath collection) {
        String resource = collection.text().substring(collection.text().lastIndexOf('/') + 1);
        return followed.follow(namespace + "/" + resource, collection, object -> object);
    }

    private static Json withoutTemplate(Json revision) {
        return revision instanceof Json.Fields fields ? fields.without("data") : revision;
    }

    /** How ready each workload is; unknown until every list has been read, and while one cannot be followed. */
    public Evidence<List<SelfHostedWorkload>> observe() {
        List<SelfHostedWorkload> observed = new ArrayList<>();
        Map<String, Objects> known = new TreeMap<>();
        for (Map.Entry<String, Namespace> namespace : namespaces.entrySet()) {
            switch (namespace.getValue().objects()) {
                case Evidence.Unknown<Objects>(String reason) -> {
                    return Evidence.unknown(reason);
                }
                case Evidence.Known<Objects>(Objects objects) -> known.put(namespace.getKey(), objects);
            }
        }
        for (WorkloadReference workload : workloads) {
            Optional.ofNullable(known.get(workload.namespace()))
                    .map(objects -> observe(workload, objects))
                    .ifPresent(observed::add);
        }
        return Evidence.known(observed);
    }

    private SelfHostedWorkload observe(WorkloadReference workload, Objects objects) {
        boolean isDaemonSet = workload.kind().equals("DaemonSet");
        Json found = (isDaemonSet ? objects.daemonSets() : objects.deployments())
                .getOrDefault(workload.path(), Json.absent());
        Json desired = isDaemonSet ? found.at("status", "desiredNumberScheduled") : found.at("spec", "replicas");
        // A Deployment replaces its pods itself.
        Optional<String> askedFor =
                isDaemonSet ? OutdatedPods.askedFor(found, objects.revisions().values()) : Optional.empty();
        return workload(
                workload,
                found,
                (int) Math.min(1, desired.integer().orElse(0)),
                owned(objects.pods().values(), found).stream()
                        .filter(pod -> !isDaemonSet || isHere(pod))
                        .toList(),
                pod -> isDaemonSet && OutdatedPods.includes(found, askedFor, node, pod));
    }

    private boolean isHere(Json pod) {
        return pod.at("spec", "nodeName").text().equals(Optional.of(node));
    }

    /** Only pods of a controller: a temporary copy may carry the same labels. */
    private List<Json> owned(Collection<Json> pods, Json workload) {
        Map<String, String> selector = Metadata.texts(workload.at("spec", "selector", "matchLabels"));
        if (selector.isEmpty()) {
            return List.of();
        }
        return pods.stream()
                .filter(pod -> !former.includes(pod))
                .filter(pod -> !pod.at("metadata", "ownerReferences").items().isEmpty()
                        && Metadata.labels(pod).entrySet().containsAll(selector.entrySet()))
                .toList();
    }

    /**
     * How ready a workload is. Ready pods are counted here, as the controllers count them: a controller's status is up to a second behind what the
     * kubelet reports.
     *
     * @param outdated whether a pod was made from another template than the present one
     */
    private static SelfHostedWorkload workload(
            WorkloadReference reference, Json found, int desired, List<Json> owned, Predicate<Json> outdated) {
        boolean seenByController =
                !found.isNull() && found.at("metadata", "generation").equals(found.at("status", "observedGeneration"));
        int ready = seenByController
                ? (int) owned.stream().filter(ReadyCondition::holds).count()
                : 0;
        boolean isReady = desired > 0 && ready >= desired;
        List<Json> containers = isReady
                ? List.of()
                : owned.stream().flatMap(WorkloadObserver::containers).toList();
        int restarts = (int) containers.stream()
                .filter(container -> !container.at("ready").isTrue())
                .mapToLong(container -> container.at("restartCount").integer().orElse(0))
                .max()
                .orElse(0);
        String detail = containers.stream()
                .map(WorkloadObserver::describe)
                .filter(text -> !text.isEmpty())
                .distinct()
                .collect(Collectors.joining(", "));
        return new SelfHostedWorkload(
                reference.path(),
                ready,
                desired,
                (int) owned.stream().filter(WorkloadObserver::hasBegun).count(),
                restarts,
                owned.stream().anyMatch(outdated),
                detail,
                isReady
                        ? List.of()
                        : owned.stream().flatMap(WorkloadObserver::unready).toList());
    }

    private static Stream<Json> containers(Json pod) {
        return pod.at("status", "containerStatuses").items().stream();
    }

    private static Stream<UnreadyContainer> unready(Json pod) {
        return containers(pod)
                .filter(container -> !container.at("ready").isTrue())
                .map(container -> new UnreadyContainer(
                        Metadata.namespace(pod),
                        Metadata.name(pod),
                        container.at("name").text().orElse(""),
                        ""));
    }

    private static boolean hasBegun(Json pod) {
        return containers(pod).findAny().isPresent()
                && containers(pod)
                        .allMatch(container -> !container.at("state", "running").isNull()
                                || !container.at("state", "terminated").isNull()
                                || container.at("restartCount").integer().orElse(0) > 0);
    }

    private static String describe(Json container) {
        if (container.at("state").isNull() || container.at("ready").isTrue()) {
            return "";
        }
        String name = container.at("name").text().orElse("");
        for (String state : List.of("waiting", "terminated")) {
            Json why = container.at("state", state);
            if (!why.isNull()) {
                return name + " " + why.at("reason").text().orElse("")
                        + why.at("message")
                                .text()
                                .map(message -> ": " + message)
                                .orElse("");
            }
        }
        return name + " runs but is not ready";
    }

    @Override
    public void close() {
        followed.close();
    }
}
