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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Controllers that the keeper does not watch, each read by its name and only while it is wanted: those outside kube-system, where an
 * administrator grants the right to read namespace by namespace, and kinds that a control plane is seldom made of. A component's name does not
 * say which kind its controller is: that it has none is known only when there is none of any kind.
 */
final class ControllerSource {
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
    private final Consumer<String> forbidden;
    private final PolledReads<ComponentName, Read> reads;

    private record Resource(String name, Function<Json, ControllerSeen> read) {}

    /** @param where the controller was found: that is asked first the next time */
    private record Read(Evidence<Optional<ControllerSeen>> content, Optional<Resource> where, Instant due)
            implements PolledReads.Read {}

    /** @param forbidden told each time that a namespace may not be read */
    ControllerSource(Api client, ClusterGuard guard, InstantSource clock, Signal changed, Consumer<String> forbidden) {
        this.client = client;
        this.guard = guard;
        this.clock = clock;
        this.forbidden = forbidden;
        this.reads = new PolledReads<>(this::read, clock, changed);
    }

    void start(Lookouts lookouts) {
        lookouts.repeatAndWhenRestEnds("controllers", this::look);
    }

    /** Only these are read from now on. */
    void want(Set<ComponentName> components) {
        reads.want(components);
    }

    Duration look() {
        return reads.look();
    }

    private Read read(ComponentName component, Optional<Read> last) {
        Optional<Resource> foundLast = last.flatMap(Read::where);
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
        return reads.latest(component)
                .map(Read::content)
                .orElseGet(() -> Evidence.unknown("the controller of " + component + ": not read yet"));
    }

    /** What is known of the controller of each wanted component, or why it is not. */
    Map<String, Evidence<?>> all() {
        return reads.contents(component -> "controller " + component);
    }
}
