package dev.ouroboros.recovery;

import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.Problem;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The control plane of a cluster as a source has it: no name, label or namespace is assumed.
 *
 * @param origin of what was read, for people
 * @param workloads that run a part of it; of a part that has none, those that were deleted lately
 * @param contents the Secrets and ConfigMaps that these refer to, as far as they are there
 * @param forgotten which of the contents were deleted and are only remembered
 * @param accounts the ServiceAccounts that these run under, with their rights
 * @param kubeconfigs texts of ConfigMaps beside the control plane that say where clients reach the API: bootkube has one
 * @param nodes names of the cluster's nodes, sorted
 * @param problems objects that are there and cannot be read
 * @param damage what is wrong with the source
 */
public record ClusterObjects(
        String origin,
        List<RecoveredWorkload> workloads,
        Map<ApiObject, Json.Fields> contents,
        Set<ApiObject> forgotten,
        List<Json.Fields> accounts,
        List<String> kubeconfigs,
        List<String> nodes,
        List<Problem> problems,
        List<Problem> damage) {
    public ClusterObjects {
        workloads = List.copyOf(workloads);
        contents = Map.copyOf(contents);
        forgotten = Set.copyOf(forgotten);
        accounts = List.copyOf(accounts);
        kubeconfigs = List.copyOf(kubeconfigs);
        nodes = List.copyOf(nodes);
        problems = List.copyOf(problems);
        damage = List.copyOf(damage);
    }

    /** Reads them. A source's own failure is thrown; what is missing or unreadable is part of the answer. */
    public static ClusterObjects read(ObjectSource source) {
        List<RecoveredWorkload> workloads = workloads(source);
        // A workload that cannot be read is nobody's concern when the control plane is complete without it.
        List<Problem> passed = isWhole(workloads) ? source.problems() : List.of();
        Set<ApiObject> references = new TreeSet<>();
        workloads.forEach(workload -> references.addAll(workload.references()));
        Map<ApiObject, Json.Fields> contents = new LinkedHashMap<>(source.read(references));
        references.removeAll(contents.keySet());
        List<Problem> problems = source.problems().stream()
                .filter(problem -> !passed.contains(problem))
                .toList();
        Map<ApiObject, Json.Fields> deleted = problems.isEmpty() ? source.readDeleted(references) : Map.of();
        contents.putAll(deleted);
        List<String> nodes = source.list(EnumSet.of(Resource.NODES), _ -> true).stream()
                .flatMap(node -> node.at("metadata", "name").text().stream())
                .sorted()
                .toList();
        return new ClusterObjects(
                source.origin(),
                workloads,
                contents,
                deleted.keySet(),
                new Accounts(source).of(workloads),
                kubeconfigs(source, workloads),
                nodes,
                problems,
                source.damage());
    }

    private static List<String> kubeconfigs(ObjectSource source, List<RecoveredWorkload> workloads) {
        Set<String> namespaces =
                workloads.stream().map(RecoveredWorkload::namespace).collect(Collectors.toSet());
        return source
                .list(
                        EnumSet.of(Resource.CONFIG_MAPS),
                        map -> map.at("metadata", "namespace")
                                        .text()
                                        .filter(namespaces::contains)
                                        .isPresent()
                                && texts(map)
                                        .anyMatch(text -> Kubeconfig.parse(text).isPresent()))
                .stream()
                .flatMap(ClusterObjects::texts)
                .toList();
    }

    private static Stream<String> texts(Json configMap) {
        return configMap.at("data").fields().values().stream().flatMap(value -> value.text().stream());
    }

    private static List<RecoveredWorkload> workloads(ObjectSource source) {
        List<RecoveredWorkload> found = new ArrayList<>();
        source.list(
                        Resource.WORKLOADS,
                        object -> RecoveredWorkload.component(object).isPresent())
                .forEach(object -> RecoveredWorkload.of(object, false).ifPresent(found::add));
        Set<Component> components =
                found.stream().map(RecoveredWorkload::component).collect(Collectors.toSet());
        if (!isWhole(found)) {
            source.listDeleted(
                            Resource.WORKLOADS,
                            object -> RecoveredWorkload.component(object)
                                    .filter(component -> !components.contains(component))
                                    .isPresent())
                    .forEach(object -> RecoveredWorkload.of(object, true).ifPresent(found::add));
        }
        return found;
    }

    private static boolean isWhole(List<RecoveredWorkload> workloads) {
        return Component.WITH_UNDERSTUDY.stream()
                .allMatch(component -> workloads.stream().anyMatch(workload -> workload.component() == component));
    }

    /** The workloads that run a component. */
    List<RecoveredWorkload> running(Component component) {
        return workloads.stream()
                .filter(workload -> workload.component() == component)
                .toList();
    }

    Optional<Json> content(ApiObject object) {
        return Optional.ofNullable(contents.get(object)).map(content -> (Json) content);
    }
}
