package dev.ouroboros.keeper.observe;

import dev.ouroboros.keeper.decide.ComponentSeen;
import dev.ouroboros.keeper.decide.PrincipalPod;
import dev.ouroboros.keeper.decide.Running;
import dev.ouroboros.keeper.decide.StaticManifest;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.version.KubernetesVersion;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * What is known of each component of this node: of its pods by the API, of their containers by the runtime, of its understudy by the disk and
 * the probes, together.
 */
final class NodeComponents {
    private final ApiSources api;
    private final NodeApiView cluster;
    private final RuntimeSource runtime;
    private final Probes probes;
    private final DiskSource disk;
    private final VersionSource versions;
    private final Materials materials;
    private final PodsElsewhere elsewhere;
    private final LeaderSource leaders;
    private final Derived<Map<ComponentName, List<PodSummary>>> byComponent = new Derived<>();
    private final Map<ComponentName, Derived<OnNode>> onNode = new ConcurrentHashMap<>();

    NodeComponents(
            ApiSources api,
            NodeApiView cluster,
            RuntimeSource runtime,
            Probes probes,
            DiskSource disk,
            VersionSource versions,
            Materials materials,
            PodsElsewhere elsewhere,
            LeaderSource leaders) {
        this.api = api;
        this.cluster = cluster;
        this.runtime = runtime;
        this.probes = probes;
        this.disk = disk;
        this.versions = versions;
        this.materials = materials;
        this.elsewhere = elsewhere;
        this.leaders = leaders;
    }

    /** Forgets what was derived of components with other names. */
    void retainOnly(Set<ComponentName> names) {
        onNode.keySet().retainAll(names);
    }

    ComponentSeen see(ComponentName name, Role role, Belonging belonging, Evidence<KubernetesVersion> kubelet) {
        Evidence<List<PodSummary>> pods = podsOf(name);
        Evidence<StaticManifest> manifest = disk.manifest(name, role);
        Optional<Instant> started = disk.startOf(name);
        OnNode here = onNode.computeIfAbsent(name, _ -> new Derived<>())
                .of(
                        () -> List.of(role, pods, runtime.value(), started, disk.facts(name)),
                        () -> onNode(name, role, pods, started));
        return new ComponentSeen(
                role,
                here.pods(),
                belonging.of(name, pods),
                belonging.selected(name),
                belonging.switchedOff(name),
                role == Role.OTHER ? belonging.elsewhere(name, pods) : cluster.elsewhere(role),
                Component.of(role)
                        .map(leaders::leading)
                        .orElseGet(() -> Evidence.unknown("only of a controller manager or scheduler")),
                here.principal(),
                probes.principal(role),
                manifest,
                here.understudy(),
                probes.understudy(role),
                disk.slots(name),
                role == Role.API_SERVER
                        ? versions.outdated(name, pods.orElse(List.of()))
                        : Evidence.unknown("only of an API server"),
                materials.of(name, pods.orElse(List.of()), elsewhere.of(name), kubelet));
    }

    /** Whether it elects a leader, is wanted, has a checkpoint here and, as is known, no living pod, although this node may have one. */
    boolean isOnlyKept(ComponentName name, Role role, Belonging belonging) {
        return (role == Role.CONTROLLER_MANAGER || role == Role.SCHEDULER)
                && disk.slots(name).is(slots -> slots.best().isPresent())
                && belonging.of(name, podsOf(name)).is(Boolean::booleanValue)
                && podsOf(name)
                        .is(pods -> pods.stream().noneMatch(pod -> pod.pod().isAlive()))
                && belonging.selected(name).is(Boolean::booleanValue);
    }

    /** What API and runtime say together of the pods of a component. */
    private record OnNode(
            Evidence<List<PrincipalPod>> pods, Evidence<Running> principal, Evidence<Running> understudy) {}

    private OnNode onNode(ComponentName name, Role role, Evidence<List<PodSummary>> pods, Optional<Instant> started) {
        Set<String> containers = containers(name, pods);
        return new OnNode(
                pods instanceof Evidence.Known<List<PodSummary>>(var all)
                        ? Evidence.known(all.stream().map(this::principal).toList())
                        : Evidence.unknown(reason(pods)),
                runtime.principal(name, containers),
                runtime.understudy(name, role, containers, started));
    }

    private PrincipalPod principal(PodSummary pod) {
        return runtime.pod(pod.pod().uid()).map(pod::principal).orElse(pod.pod());
    }

    Evidence<List<PodSummary>> podsOf(ComponentName name) {
        return switch (api.pods()) {
            case Evidence.Unknown<SortedMap<String, PodSummary>>(String reason) -> Evidence.unknown(reason);
            case Evidence.Known<SortedMap<String, PodSummary>>(var all) ->
                Evidence.known(byComponent
                        .of(() -> List.of(all), () -> byComponent(all.values()))
                        .getOrDefault(name, List.of()));
        };
    }

    private static Map<ComponentName, List<PodSummary>> byComponent(Collection<PodSummary> pods) {
        return pods.stream()
                .filter(pod -> !pod.identity().isStatic())
                .collect(Collectors.groupingBy(pod -> pod.identity().component(), Collectors.toUnmodifiableList()));
    }

    private Set<String> containers(ComponentName name, Evidence<List<PodSummary>> pods) {
        Set<String> named = new HashSet<>();
        pods.orElse(List.of()).stream()
                .filter(pod -> pod.pod().isAlive())
                .findFirst()
                .ifPresent(pod -> named.addAll(pod.containers()));
        return named.isEmpty()
                ? disk.facts(name).map(DiskSource.Known::containers).orElse(Set.of())
                : named;
    }

    /** The youngest living pod of a component. */
    Optional<PrincipalPod> youngestPod(ComponentName component) {
        return podsOf(component).orElse(List.of()).stream()
                .filter(pod -> pod.pod().isAlive())
                .max(Comparator.comparing(PodSummary::created))
                .map(PodSummary::pod);
    }

    private static String reason(Evidence<?> evidence) {
        return evidence instanceof Evidence.Unknown<?>(String reason) ? reason : "";
    }
}
