package dev.ouroboros.cluster;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.pivot.SelfHostedWorkload;
import dev.ouroboros.core.pivot.SelfHostedWorkload.UnreadyContainer;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetStatus;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Watches workloads and their pods and tells how ready they are. */
public final class WorkloadObserver implements AutoCloseable {
    private final List<WorkloadReference> workloads;
    private final String node;
    private final FormerLife former;
    private final List<SharedIndexInformer<?>> informers = new ArrayList<>();
    private final Map<String, SharedIndexInformer<DaemonSet>> daemonSets = new LinkedHashMap<>();
    private final Map<String, SharedIndexInformer<Deployment>> deployments = new LinkedHashMap<>();
    private final Map<String, SharedIndexInformer<Pod>> pods = new LinkedHashMap<>();
    private final Map<String, SharedIndexInformer<ControllerRevision>> revisions = new LinkedHashMap<>();

    /**
     * Begins to watch.
     *
     * @param node whose pods are compared with the templates that are asked for
     * @param former which pods count as gone, whatever is written about them
     * @param changed called from any thread whenever something may have changed
     */
    public WorkloadObserver(
            ClusterClient client, List<WorkloadReference> workloads, String node, FormerLife former, Runnable changed) {
        this.node = node;
        this.workloads = List.copyOf(workloads);
        this.former = former;
        Set<String> namespaces =
                workloads.stream().map(WorkloadReference::namespace).collect(Collectors.toSet());
        for (String namespace : namespaces) {
            daemonSets.put(
                    namespace,
                    started(
                            client.api()
                                    .apps()
                                    .daemonSets()
                                    .inNamespace(namespace)
                                    .runnableInformer(0),
                            changed));
            deployments.put(
                    namespace,
                    started(
                            client.api()
                                    .apps()
                                    .deployments()
                                    .inNamespace(namespace)
                                    .runnableInformer(0),
                            changed));
            pods.put(
                    namespace,
                    started(client.api().pods().inNamespace(namespace).runnableInformer(0), changed));
            revisions.put(
                    namespace,
                    started(
                            client.api()
                                    .apps()
                                    .controllerRevisions()
                                    .inNamespace(namespace)
                                    .runnableInformer(0),
                            changed));
        }
    }

    private <T extends HasMetadata> SharedIndexInformer<T> started(SharedIndexInformer<T> informer, Runnable changed) {
        ChangeNotifier.start(informer, changed);
        informers.add(informer);
        return informer;
    }

    /** How ready each workload is; unknown until every list has been read once. */
    public Evidence<List<SelfHostedWorkload>> observe() {
        if (!informers.stream().allMatch(SharedIndexInformer::hasSynced)) {
            return Evidence.unknown("not listed yet");
        }
        return Evidence.known(workloads.stream().map(this::observe).toList());
    }

    private SelfHostedWorkload observe(WorkloadReference workload) {
        return workload.kind().equals("DaemonSet") ? observeDaemonSet(workload) : observeDeployment(workload);
    }

    private SelfHostedWorkload observeDaemonSet(WorkloadReference workload) {
        Optional<DaemonSet> found = find(daemonSets, workload);
        int desired = found.map(DaemonSet::getStatus)
                .map(DaemonSetStatus::getDesiredNumberScheduled)
                .orElse(0);
        boolean current = found.filter(set -> Objects.equals(
                        set.getMetadata().getGeneration(), set.getStatus().getObservedGeneration()))
                .isPresent();
        Map<String, String> selector =
                found.map(set -> set.getSpec().getSelector().getMatchLabels()).orElse(Map.of());
        Optional<String> askedFor = found.flatMap(set -> OutdatedPods.askedFor(set, revisions(workload.namespace())));
        Predicate<Pod> outdated = pod -> found.filter(set -> OutdatedPods.includes(set, askedFor, node, pod))
                .isPresent();
        return workload(workload, current, desired, selector, outdated);
    }

    private SelfHostedWorkload observeDeployment(WorkloadReference workload) {
        Optional<Deployment> found = find(deployments, workload);
        int desired =
                found.map(deployment -> deployment.getSpec().getReplicas()).orElse(0);
        boolean current = found.filter(deployment -> Objects.equals(
                        deployment.getMetadata().getGeneration(),
                        deployment.getStatus().getObservedGeneration()))
                .isPresent();
        Map<String, String> selector = found.map(
                        deployment -> deployment.getSpec().getSelector().getMatchLabels())
                .orElse(Map.of());
        // A Deployment replaces its pods itself.
        return workload(workload, current, desired, selector, _ -> false);
    }

    /**
     * Ready pods are counted here, as the controllers count them: their status comes up to a second after what the kubelet reports.
     *
     * @param current whether the controller has seen the specification
     * @param outdated whether a pod was made from another template than is asked for
     */
    private SelfHostedWorkload workload(
            WorkloadReference reference,
            boolean current,
            int desired,
            Map<String, String> selector,
            Predicate<Pod> outdated) {
        List<Pod> owned = selector.isEmpty() ? List.of() : pods(reference, selector);
        int ready = current ? (int) owned.stream().filter(Readiness::isPodReady).count() : 0;
        boolean isReady = desired > 0 && ready >= desired;
        int begun = (int) owned.stream().filter(WorkloadObserver::hasBegun).count();
        List<ContainerStatus> containers = isReady
                ? List.of()
                : owned.stream()
                        .flatMap(pod -> pod.getStatus().getContainerStatuses().stream())
                        .toList();
        int restarts = containers.stream()
                .filter(container -> !Boolean.TRUE.equals(container.getReady()))
                .map(ContainerStatus::getRestartCount)
                .filter(Objects::nonNull)
                .max(Integer::compare)
                .orElse(0);
        String detail = containers.stream()
                .map(WorkloadObserver::describe)
                .filter(text -> !text.isEmpty())
                .distinct()
                .collect(Collectors.joining(", "));
        List<UnreadyContainer> unready = isReady
                ? List.of()
                : owned.stream().flatMap(WorkloadObserver::unready).toList();
        return new SelfHostedWorkload(
                reference.path(),
                ready,
                desired,
                begun,
                restarts,
                owned.stream().anyMatch(outdated),
                detail,
                unready);
    }

    private static Stream<UnreadyContainer> unready(Pod pod) {
        return pod.getStatus().getContainerStatuses().stream()
                .filter(container -> !Boolean.TRUE.equals(container.getReady()))
                .map(container -> new UnreadyContainer(
                        pod.getMetadata().getNamespace(), pod.getMetadata().getName(), container.getName(), ""));
    }

    private List<Pod> pods(WorkloadReference reference, Map<String, String> selector) {
        SharedIndexInformer<Pod> informer = pods.get(reference.namespace());
        if (informer == null) {
            return List.of();
        }
        return informer.getStore().list().stream()
                // Only pods of a controller: a temporary copy may carry the same labels.
                .filter(pod -> !former.includes(pod))
                .filter(pod -> !pod.getMetadata().getOwnerReferences().isEmpty()
                        && pod.getMetadata().getLabels() != null
                        && pod.getMetadata().getLabels().entrySet().containsAll(selector.entrySet()))
                .toList();
    }

    private List<ControllerRevision> revisions(String namespace) {
        return Optional.ofNullable(revisions.get(namespace))
                .map(informer -> informer.getStore().list())
                .orElse(List.of());
    }

    private static boolean hasBegun(Pod pod) {
        List<ContainerStatus> containers = pod.getStatus().getContainerStatuses();
        return !containers.isEmpty()
                && containers.stream()
                        .allMatch(container -> container.getState() != null
                                && (container.getState().getRunning() != null
                                        || container.getState().getTerminated() != null
                                        || (container.getRestartCount() != null && container.getRestartCount() > 0)));
    }

    private static String describe(ContainerStatus status) {
        if (status.getState() == null || Boolean.TRUE.equals(status.getReady())) {
            return "";
        }
        var waiting = status.getState().getWaiting();
        if (waiting != null) {
            return join(status.getName(), waiting.getReason(), waiting.getMessage());
        }
        var terminated = status.getState().getTerminated();
        if (terminated != null) {
            return join(status.getName(), terminated.getReason(), terminated.getMessage());
        }
        return status.getName() + " runs but is not ready";
    }

    private static String join(String name, @Nullable String reason, @Nullable String message) {
        return name + " " + (reason == null ? "" : reason) + (message == null ? "" : ": " + message);
    }

    private static <T extends HasMetadata> Optional<T> find(
            Map<String, SharedIndexInformer<T>> byNamespace, WorkloadReference workload) {
        SharedIndexInformer<T> informer = byNamespace.get(workload.namespace());
        return informer == null
                ? Optional.empty()
                : Optional.ofNullable(informer.getStore().getByKey(workload.namespace() + "/" + workload.name()));
    }

    @Override
    public void close() {
        informers.forEach(SharedIndexInformer::stop);
    }
}
