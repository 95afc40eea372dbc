package dev.ouroboros.keeper.observe;

import dev.ouroboros.keeper.checkpoint.StoredCheckpoints;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Which components are kept here, and as what. */
final class Roster {
    private final ApiSources api;
    private final DiskSource disk;

    Roster(ApiSources api, DiskSource disk) {
        this.api = api;
        this.disk = disk;
    }

    /**
     * Everything that asks for a checkpoint here, has one, or has a manifest; and what the control plane lacks by all that is known: it
     * may have no pod because nobody makes or places one.
     */
    Map<ComponentName, Role> components() {
        Map<ComponentName, Role> found = new TreeMap<>();
        found.put(Observer.SELF, Role.KEEPER);
        disk.ours().orElse(new TreeMap<>()).keySet().forEach(name -> found.put(name, roleOf(name)));
        disk.checkpoints()
                .orElse(new StoredCheckpoints(new TreeMap<>(), List.of()))
                .slots()
                .keySet()
                .forEach(name -> found.put(name, roleOf(name)));
        Stream.of(api.daemonSets(), api.deployments())
                .flatMap(controllers -> controllers.orElse(new TreeMap<>()).entrySet().stream())
                .filter(entry -> isLacking(entry.getValue()))
                .forEach(entry -> found.putIfAbsent(
                        nameOf(entry.getKey()), entry.getValue().role()));
        api.pods().orElse(new TreeMap<>()).values().stream()
                .filter(pod -> pod.identity().asks() && !pod.identity().isStatic())
                .forEach(pod ->
                        found.put(pod.identity().component(), pod.identity().role()));
        return found;
    }

    private static boolean isLacking(ControllerSeen controller) {
        return controller.role().isIndispensable() && controller.asks() && !controller.isKnownToServe();
    }

    /** As a reflector calls it. */
    private static ComponentName nameOf(String key) {
        int slash = key.indexOf('/');
        return new ComponentName(key.substring(0, slash), key.substring(slash + 1));
    }

    /** By its checkpoint; without one, by the names that the control plane's parts have everywhere. */
    private Role roleOf(ComponentName name) {
        return disk.facts(name)
                .map(DiskSource.Known::role)
                .orElseGet(() -> Component.ofId(name.name())
                        .map(Component::role)
                        .filter(role -> role != Role.KEEPER || name.equals(Observer.SELF))
                        .orElse(Role.OTHER));
    }

    /** What a component is, by all that is known. */
    Role role(ComponentName component) {
        return api.pods().orElse(new TreeMap<>()).values().stream()
                .filter(pod -> pod.identity().component().equals(component)
                        && !pod.identity().isStatic())
                .findFirst()
                .map(pod -> pod.identity().role())
                .orElseGet(() -> roleOf(component));
    }
}
