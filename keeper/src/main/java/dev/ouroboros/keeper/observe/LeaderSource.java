package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.keeper.api.LeaderLeaseClient;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.leader.LeaderContainers;
import dev.ouroboros.model.leader.LeaderLease;
import dev.ouroboros.model.runtime.RuntimePod;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The Leases that controller managers and schedulers of this node left behind. They are read only when a container of one has ended, until it is
 * known that none of those holds it.
 */
final class LeaderSource {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    /**
     * A holder that is alive renews every two seconds. That is the second evidence, beside the runtime's: the first goes by times of
     * a wall clock, which may jump.
     */
    private static final Duration NOT_RENEWED_FOR = Duration.ofSeconds(3);

    private final RuntimeSource runtime;
    private final LeaderLeaseClient client;
    private final String nodeName;
    private final InstantSource clock;
    private final Signal changed;
    private final Cell<List<LeaderLease>> abandoned;
    private final Map<Component, Reading> readings = new EnumMap<>(Component.class);
    private LeaderContainers containers = LeaderContainers.NONE;

    /** @param since when it was first read so */
    private record Reading(LeaderLease lease, Instant since) {}

    /** @param clock never jumps */
    LeaderSource(
            RuntimeSource runtime, LeaderLeaseClient client, String nodeName, InstantSource clock, Signal changed) {
        this.runtime = runtime;
        this.client = client;
        this.nodeName = nodeName;
        this.clock = clock;
        this.changed = changed;
        this.abandoned = new Cell<>("leader-leases", changed);
    }

    void start(Lookouts lookouts) {
        lookouts.repeatAndWhenRestEnds("leader-leases", () -> refresh() ? changed.sparing(INTERVAL) : INTERVAL);
    }

    /** Those whose holder has ended, and that nobody renews. */
    Evidence<List<LeaderLease>> abandoned() {
        return abandoned.get();
    }

    /** Whether no Lease has to be read any more. */
    synchronized boolean refresh() {
        if (runtime.value() instanceof Evidence.Known<List<RuntimePod>>(List<RuntimePod> pods)) {
            containers = containers.after(pods);
        }
        List<LeaderLease> found = new ArrayList<>();
        try {
            for (Component component : LeaderLease.LEADERS) {
                if (containers.unsettled().contains(component)) {
                    look(component).ifPresent(found::add);
                }
            }
            abandoned.set(Evidence.known(List.copyOf(found)));
        } catch (ApiException e) {
            abandoned.set(Evidence.unknown(String.valueOf(e.getMessage())));
        }
        return containers.unsettled().isEmpty();
    }

    private Optional<LeaderLease> look(Component component) throws ApiException {
        Optional<LeaderLease> left = client.read(component).filter(lease -> containers.holderHasEnded(lease, nodeName));
        if (left.isEmpty()) {
            containers = containers.settled(component);
            readings.remove(component);
            return left;
        }
        Reading reading = Optional.ofNullable(readings.get(component))
                .filter(before -> before.lease().equals(left.get()))
                .orElseGet(() -> new Reading(left.get(), clock.instant()));
        readings.put(component, reading);
        return left.filter(_ -> !clock.instant().isBefore(reading.since().plus(NOT_RENEWED_FOR)));
    }
}
