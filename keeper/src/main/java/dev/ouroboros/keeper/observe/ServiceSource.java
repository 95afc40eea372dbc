package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.KubernetesServiceEndpoints;
import dev.ouroboros.model.endpoints.ServiceEndpoints;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Endpoints and EndpointSlice of the {@code kubernetes} Service, which API servers without a reconciler leave to us. Endpoints are
 * watched; the slice is read when they change and every {@link #SLICE_EVERY}: a reconciler that changes one of the two changes
 * both.
 */
final class ServiceSource {
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration SLICE_EVERY = Duration.ofMinutes(5);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);
    /**
     * While a member is not ready, its node may have lost its label, and have no keeper that takes it out; or the cluster may find that the node is
     * lost.
     */
    private static final Duration UNREADY_EVERY = Duration.ofSeconds(20);

    private final KubernetesServiceEndpoints service;
    private final ClusterGuard guard;
    private final ApiSources api;
    private final InstantSource clock;
    private final Signal changed;
    private final Cell<Boolean> slice;
    private final Supplier<Membership> membership;
    private Optional<Json> endpointsThen = Optional.empty();
    private Optional<Membership> membershipThen = Optional.empty();
    private Instant nextRead = Instant.MIN;
    /** Empty while another node is to write them first. */
    private volatile Optional<ServiceEndpoints> wanted = Optional.empty();

    /**
     * What makes this node a member, and others none.
     *
     * @param labels of its Node
     * @param unready addresses of others that are not ready
     * @param away addresses of others at which nobody answers
     */
    record Membership(boolean serves, Set<String> labels, Set<String> unready, Set<String> away) {
        boolean isWhole() {
            return unready.isEmpty() && away.isEmpty();
        }
    }

    /** @param membership when it changes, both objects may have to */
    ServiceSource(
            KubernetesServiceEndpoints service,
            ClusterGuard guard,
            ApiSources api,
            Supplier<Membership> membership,
            InstantSource clock,
            Signal changed) {
        this.service = service;
        this.guard = guard;
        this.api = api;
        this.membership = membership;
        this.clock = clock;
        this.changed = changed;
        this.slice = new Cell<>("endpointslice", changed);
    }

    void start(Lookouts lookouts) {
        lookouts.repeatAndWhenRestEnds("endpointslice", () -> {
            look();
            return changed.sparing(LOOK_EVERY);
        });
    }

    synchronized void look() {
        if (!(api.endpoints() instanceof Evidence.Known<Optional<Json>>(Optional<Json> endpoints))) {
            slice.set(Evidence.unknown("no API server answers"));
            nextRead = Instant.MIN;
            return;
        }
        Optional<Membership> now = Optional.of(membership.get());
        if (endpoints.equals(endpointsThen)
                && now.equals(membershipThen)
                && clock.instant().isBefore(nextRead)) {
            return;
        }
        endpointsThen = endpoints;
        membershipThen = now;
        refresh();
    }

    /** Reads the slice now. */
    synchronized void refresh() {
        try {
            guard.require();
            wanted = service.wanted(api.endpoints().orElse(Optional.empty()).orElse(Json.absent()));
            slice.set(Evidence.known(wanted.isEmpty() || service.isSliceRight(wanted.get())));
            nextRead = clock.instant().plus(untilNextRead());
        } catch (ApiException e) {
            slice.set(Evidence.unknown(String.valueOf(e.getMessage())));
            nextRead = clock.instant().plus(RETRY_AFTER);
        }
    }

    private Duration untilNextRead() {
        Membership now = membership.get();
        if (wanted.isEmpty() || (now.serves() && !service.leadsHere(wanted.get()))) {
            return RETRY_AFTER;
        }
        return now.isWhole() ? SLICE_EVERY : UNREADY_EVERY;
    }

    /** Whether the slice holds what it should. */
    Evidence<Boolean> slice() {
        return slice.get();
    }

    /** Whether both lead to this node, and to others only where those are control-plane nodes; or whether another node is to write them first. */
    Evidence<Boolean> value() {
        return switch (api.endpoints()) {
            case Evidence.Unknown<Optional<Json>>(String reason) -> Evidence.unknown(reason);
            case Evidence.Known<Optional<Json>>(Optional<Json> subsets) ->
                wanted.filter(these -> !these.areIn(subsets.orElse(Json.absent())))
                        .<Evidence<Boolean>>map(_ -> Evidence.known(false))
                        .orElseGet(slice::get);
        };
    }

    /** Makes both hold what they should. */
    synchronized void write() throws ApiException {
        guard.require();
        service.write();
    }
}
