package dev.ouroboros.status.judge;

import dev.ouroboros.model.checkpoint.PodIdentity;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.StewardObjects;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.status.model.Change;
import dev.ouroboros.status.model.ComponentStatus;
import dev.ouroboros.status.model.Report;
import dev.ouroboros.status.seen.ApiSeen;
import dev.ouroboros.status.seen.ApiSeen.Others;
import dev.ouroboros.status.seen.NodeSeen;
import dev.ouroboros.status.seen.SavedSlots;
import dev.ouroboros.status.seen.Seen;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Derives where the cluster stands from what was seen. Pure.
 *
 * <ol>
 *   <li>An API server of another cluster than the node's counts as no answer about this one.
 *   <li>For every component that any source knows of, the evidence is collected and judged ({@link ComponentJudge}).
 *   <li>Changes are what the DaemonSets' annotations say, and with no API what the keeper says ({@link Changes}).
 *   <li>Remarks are what somebody should know ({@link Remarks}); convergence is what {@code --wait} waits for ({@link Converging}).
 * </ol>
 */
public final class Judge {
    private static final ComponentName ETCD =
            new ComponentName(PodIdentity.CONTROL_PLANE_NAMESPACE, Component.ETCD.id());

    private static final ComponentName API_SERVER =
            new ComponentName(PodIdentity.CONTROL_PLANE_NAMESPACE, Component.API_SERVER.id());

    private static final ComponentName STEWARD =
            new ComponentName(PodIdentity.CONTROL_PLANE_NAMESPACE, Component.STEWARD.id());

    private final Evidence<ApiSeen> api;
    private final Evidence<NodeSeen> node;
    private final Seen seen;

    private Judge(Seen seen) {
        this.seen = seen;
        this.api = ofThisCluster(seen);
        this.node = seen.node();
    }

    public static Report report(Seen seen) {
        return new Judge(seen).report();
    }

    /** Two clusters mixed in one table would be worse than half a table. */
    private static Evidence<ApiSeen> ofThisCluster(Seen seen) {
        if (seen.api() instanceof Known<ApiSeen>(ApiSeen answer)
                && answer.clusterId() instanceof Known<String>(String asked)
                && seen.node() instanceof Known<NodeSeen>(NodeSeen here)
                && here.clusterId() instanceof Known<Optional<String>>(Optional<String> own)
                && own.isPresent()
                && !own.get().equals(asked)) {
            return Evidence.unknown(answer.server() + " answers for another cluster (" + asked + ") than node "
                    + here.name() + " is part of (" + own.get() + ")");
        }
        return seen.api();
    }

    private Report report() {
        List<Workload> workloads = workloads();
        List<ApiPod> pods = apiPods();
        List<ComponentEvidence> clues = clues(workloads, pods);
        ComponentJudge judge =
                new ComponentJudge(api, node, new CheckpointJudge(api, node, pods), managesEtcd(workloads));
        List<ComponentStatus> components = Stream.concat(
                        KubeletJudge.judge(api, node).stream(), clues.stream().map(judge::judge))
                .sorted(ComponentStatus.ORDER)
                .toList();
        List<Change> changes = changes(workloads);
        return new Report(
                seen.at(),
                SourceStatuses.of(api, node),
                components,
                changes.stream()
                        .filter(change -> change.progress() != Change.Progress.DONE)
                        .toList(),
                Remarks.of(seen.at(), components, changes, notNamed(pods), KubeletJudge.remarks(api), keeperState()),
                Converging.of(api, workloads, clues, components, changes));
    }

    private static boolean managesEtcd(List<Workload> workloads) {
        return workloads.stream()
                .filter(workload -> workload.name().equals(STEWARD))
                .anyMatch(workload ->
                        StewardObjects.managesEtcd(workload.template().at("spec")));
    }

    /** Nodes whose API server is ready, and where the {@code kubernetes} Service does not lead. */
    private List<String> notNamed(List<ApiPod> pods) {
        Set<String> named = api.flatMap(ApiSeen::servers).orElse(Set.of());
        return pods.stream()
                .filter(pod -> pod.component().equals(API_SERVER) && !pod.isStatic() && pod.ready())
                .filter(pod -> !named.isEmpty() && !pod.hostIp().isEmpty() && !named.contains(pod.hostIp()))
                .map(ApiPod::node)
                .sorted()
                .toList();
    }

    private Json keeperState() {
        return node instanceof Known<NodeSeen>(NodeSeen here) ? here.state().orElse(Json.absent()) : Json.absent();
    }

    private List<Workload> workloads() {
        if (api instanceof Known<ApiSeen>(ApiSeen answer)) {
            Others others = answer.others().orElse(Others.NONE);
            return Stream.concat(
                            Stream.concat(answer.daemonSets().orElse(List.of()).stream(), others.daemonSets().stream())
                                    .map(Workload::daemonSet),
                            Stream.concat(
                                            answer.deployments().orElse(List.of()).stream(),
                                            others.deployments().stream())
                                    .map(Workload::deployment))
                    .filter(workload -> !workload.isForNobody())
                    .toList();
        }
        return List.of();
    }

    private List<Change> changes(List<Workload> workloads) {
        Map<ComponentName, Change> told = new TreeMap<>();
        workloads.forEach(workload -> Changes.of(workload).ifPresent(change -> told.put(workload.name(), change)));
        Changes.of(keeperState(), workloads)
                .filter(here ->
                        workloads.isEmpty() || Changes.replaces(here, Optional.ofNullable(told.get(here.component()))))
                .ifPresent(here -> told.put(here.component(), here));
        return List.copyOf(told.values());
    }

    /** Copies that stand in for a component are not counted as one. */
    private List<ComponentEvidence> clues(List<Workload> workloads, List<ApiPod> all) {
        List<ApiPod> apiPods = all.stream().filter(pod -> !pod.isCopy()).toList();
        Map<ComponentName, KeeperWord> words = KeeperWord.all(keeperState());
        Map<ComponentName, Evidence<SavedSlots>> slots = node instanceof Known<NodeSeen>(NodeSeen here)
                ? here.checkpoints().orElse(Map.of())
                : Map.of();
        List<RuntimePod> runtimePods = runtimePods();
        NavigableSet<ComponentName> names = new TreeSet<>(words.keySet());
        names.addAll(slots.keySet());
        workloads.forEach(workload -> names.add(workload.name()));
        apiPods.stream()
                .filter(ApiPod::isStatic)
                .map(ApiPod::component)
                .filter(name -> name.namespace().equals(PodIdentity.CONTROL_PLANE_NAMESPACE))
                .forEach(names::add);
        // The kubelet tells the API of static pods only when it has joined.
        runtimePods.stream()
                .filter(pod -> pod.namespace().equals(PodIdentity.CONTROL_PLANE_NAMESPACE))
                .filter(pod -> pod.isStatic() || !podsAreKnown())
                .forEach(pod -> names.add(componentOf(pod)));
        if (etcdIsMissing(runtimePods)) {
            names.add(ETCD);
        }
        return names.stream()
                .map(name -> new ComponentEvidence(
                        name,
                        workloads.stream()
                                .filter(workload -> workload.name().equals(name))
                                .findFirst(),
                        apiPods.stream()
                                .filter(pod -> pod.component().equals(name))
                                .toList(),
                        runtimePods.stream()
                                .filter(pod -> componentOf(pod).equals(name))
                                .toList(),
                        Optional.ofNullable(words.get(name)),
                        Optional.ofNullable(slots.get(name))))
                .toList();
    }

    /**
     * Within a minute of a manifest's removal the kubelet's container garbage collection removes what the static pod had run, and an etcd
     * without a trace must still be reported. That the node has an etcd is known by its certificates there.
     */
    private boolean etcdIsMissing(List<RuntimePod> runtimePods) {
        return !podsAreKnown()
                && node instanceof Known<NodeSeen>(NodeSeen here)
                && here.pods() instanceof Known<?>
                && here.certificates().is(all -> !all.etcd().isEmpty())
                && runtimePods.stream()
                        .flatMap(pod -> pod.containers().stream())
                        .noneMatch(container -> container.name().equals(ETCD.name()));
    }

    private List<ApiPod> apiPods() {
        ApiSeen answer = api.orElse(ApiSeen.unknown("", ""));
        return Stream.concat(
                        answer.pods().orElse(List.of()).stream(), answer.others().orElse(Others.NONE).pods().stream())
                .filter(pod -> !ApiPod.isBeingDeleted(pod))
                .map(ApiPod::of)
                .toList();
    }

    private boolean podsAreKnown() {
        return api.is(answer -> !(answer.pods() instanceof Unknown<?>));
    }

    private List<RuntimePod> runtimePods() {
        return node instanceof Known<NodeSeen>(NodeSeen here) ? here.pods().orElse(List.of()) : List.of();
    }

    private ComponentName componentOf(RuntimePod pod) {
        String name = node instanceof Known<NodeSeen>(NodeSeen here) ? here.name() : "";
        return RuntimeNames.componentOf(pod, name);
    }
}
