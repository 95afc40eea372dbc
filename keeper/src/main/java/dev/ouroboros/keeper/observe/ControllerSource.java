package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Controllers that are followed by no watch, each by its name and only while it is asked for: those outside kube-system, which an
 * owner may let us read namespace by namespace, and kinds that a control plane is seldom made of. A component does not say of which
 * kind its controller is: that there is none is known only when there is none of any kind.
 */
final class ControllerSource {
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration FOUND_EVERY = Duration.ofSeconds(30);
    private static final Duration MISSED_EVERY = Duration.ofSeconds(10);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    private static final List<Resource> RESOURCES = List.of(
            new Resource("daemonsets", ControllerSeen::daemonSet),
            new Resource("deployments", ControllerSeen::replicas),
            new Resource("statefulsets", ControllerSeen::statefulSet),
            new Resource("replicasets", ControllerSeen::replicas));

    private final Api client;
    private final ClusterGuard guard;
    private final InstantSource clock;
    private final Signal changed;
    private final Consumer<String> forbidden;
    private final Map<ComponentName, Read> reads = new ConcurrentHashMap<>();
    private volatile Set<ComponentName> wanted = Set.of();

    private record Resource(String name, Function<Json, ControllerSeen> read) {}

    /** @param where it was found: asked first the next time */
    private record Read(Evidence<Optional<ControllerSeen>> content, Optional<Resource> where, Instant next) {}

    /** @param forbidden told each time that a namespace may not be read */
    ControllerSource(Api client, ClusterGuard guard, InstantSource clock, Signal changed, Consumer<String> forbidden) {
        this.client = client;
        this.guard = guard;
        this.clock = clock;
        this.changed = changed;
        this.forbidden = forbidden;
    }

    void start(Lookouts lookouts) {
        lookouts.repeatAndWhenRestEnds("controllers", () -> {
            look();
            return changed.sparing(LOOK_EVERY);
        });
    }

    /** Only these are read from now on. */
    void want(Set<ComponentName> components) {
        wanted = Collections.unmodifiableSortedSet(new TreeSet<>(components));
    }

    void look() {
        Set<ComponentName> now = wanted;
        reads.keySet().retainAll(now);
        for (ComponentName component : now) {
            Optional<Read> last = Optional.ofNullable(reads.get(component));
            if (last.isEmpty() || !clock.instant().isBefore(last.get().next())) {
                Read fresh = read(component, last.flatMap(Read::where));
                reads.put(component, fresh);
                if (!last.map(Read::content).equals(Optional.of(fresh.content()))) {
                    changed.raise();
                }
            }
        }
    }

    private Read read(ComponentName component, Optional<Resource> foundLast) {
        try {
            guard.require();
            Optional<Read> found = foundLast.isPresent() ? find(component, foundLast.get()) : Optional.empty();
            for (Resource resource : RESOURCES) {
                if (found.isEmpty()) {
                    found = find(component, resource);
                }
            }
            return found.orElseGet(() -> new Read(
                    Evidence.known(Optional.empty()),
                    Optional.empty(),
                    clock.instant().plus(MISSED_EVERY)));
        } catch (ApiException e) {
            if (e.kind() == Kind.FORBIDDEN) {
                forbidden.accept(component.namespace());
            }
            return new Read(
                    Evidence.unknown("the controller of " + component + ": " + e.getMessage()),
                    foundLast,
                    clock.instant().plus(e.pause(RETRY_AFTER)));
        }
    }

    private Optional<Read> find(ComponentName component, Resource resource) throws ApiException {
        Optional<Json> found = client.find(
                ApiPath.of("apps/v1", component.namespace(), resource.name()).named(component.name()));
        if (found.isEmpty()) {
            return Optional.empty();
        }
        ControllerSeen seen = resource.read().apply(found.get());
        return Optional.of(new Read(
                Evidence.known(Optional.of(seen)),
                Optional.of(resource),
                clock.instant().plus(FOUND_EVERY)));
    }

    /** The controller of a component; empty when there is none of any kind. */
    Evidence<Optional<ControllerSeen>> of(ComponentName component) {
        Read read = reads.get(component);
        return read == null ? Evidence.unknown("the controller of " + component + ": not read yet") : read.content();
    }

    /** Every controller that was asked for, known or not. */
    Map<String, Evidence<?>> all() {
        Map<String, Evidence<?>> all = new TreeMap<>();
        reads.forEach((component, read) -> all.put("controller " + component, read.content()));
        return all;
    }
}
