package dev.ouroboros.model.leader;

import static java.util.stream.Collectors.toSet;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentContainer;
import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The containers of this node that may have led the cluster, and which of them have ended. Follows what the runtime says, look by look: a
 * container that the kubelet removed at once is known from the look before.
 */
public record LeaderContainers(SortedMap<LeaderContainer, State> states) {
    public static final LeaderContainers NONE = new LeaderContainers(new TreeMap<>());

    private static final String NAMESPACE = "kube-system";

    enum State {
        RUNS,
        /** It may have left its Lease behind. */
        ENDED,
        /** It holds no Lease. */
        SETTLED
    }

    /** @param created by the node's wall clock, which the holder of a Lease goes by, too */
    record LeaderContainer(Component component, String pod, boolean isStatic, int attempt, Instant created)
            implements Comparable<LeaderContainer> {
        private static final Comparator<LeaderContainer> ORDER = Comparator.comparing(LeaderContainer::component)
                .thenComparing(LeaderContainer::pod)
                .thenComparing(LeaderContainer::isStatic)
                .thenComparing(LeaderContainer::created)
                .thenComparingInt(LeaderContainer::attempt);

        @Override
        public int compareTo(LeaderContainer other) {
            return ORDER.compare(this, other);
        }

        private boolean tookIt(LeaderLease lease, String nodeName) {
            // Static pods of ours are in the node's network. Of one that the API made, nobody says whether it is: such
            // a Lease runs out by itself.
            return isOlder(lease) && lease.isOf(isStatic ? nodeName : pod);
        }

        private boolean mayHaveTakenIt(LeaderLease lease, String nodeName) {
            return isOlder(lease) && (lease.isOf(pod) || lease.isOf(nodeName));
        }

        private boolean isOlder(LeaderLease lease) {
            return lease.component() == component && !created.isAfter(lease.acquired());
        }
    }

    public LeaderContainers {
        states = Collections.unmodifiableSortedMap(new TreeMap<>(states));
    }

    /**
     * What is known after another look.
     *
     * @param pods all that the runtime has
     */
    public LeaderContainers after(List<RuntimePod> pods) {
        SortedMap<LeaderContainer, State> listed = listed(pods);
        SortedMap<LeaderContainer, State> next = new TreeMap<>();
        states.forEach((container, before) -> {
            if (before != State.SETTLED) {
                next.put(container, State.ENDED);
            }
        });
        listed.forEach((container, now) -> next.put(
                container, now == State.ENDED && states.get(container) == State.SETTLED ? State.SETTLED : now));
        return new LeaderContainers(next);
    }

    private static SortedMap<LeaderContainer, State> listed(List<RuntimePod> pods) {
        SortedMap<LeaderContainer, State> listed = new TreeMap<>();
        for (RuntimePod pod : pods) {
            for (RuntimeContainer container : pod.containers()) {
                ComponentContainer.of(container.name(), container.image())
                        .filter(LeaderLease.LEADERS::contains)
                        .filter(_ -> pod.namespace().equals(NAMESPACE))
                        .ifPresent(component -> listed.put(
                                new LeaderContainer(
                                        component,
                                        pod.name(),
                                        pod.isStatic(),
                                        container.attempt(),
                                        container.createdAt()),
                                container.state() == RuntimeContainer.State.EXITED ? State.ENDED : State.RUNS));
            }
        }
        return listed;
    }

    /** What is known when the Lease of a component was read, and none of those that ended holds it. */
    public LeaderContainers settled(Component component) {
        SortedMap<LeaderContainer, State> next = new TreeMap<>(states);
        next.replaceAll((container, state) ->
                state == State.ENDED && container.component() == component ? State.SETTLED : state);
        return new LeaderContainers(next);
    }

    /** The components of which a container ended that may have left its Lease behind. */
    public Set<Component> unsettled() {
        return states.entrySet().stream()
                .filter(entry -> entry.getValue() == State.ENDED)
                .map(entry -> entry.getKey().component())
                .collect(toSet());
    }

    /**
     * Whether the process that took this Lease has ended: a container that was there when it was taken has, and none that runs was there.
     *
     * @param nodeName host name of this node
     */
    public boolean holderHasEnded(LeaderLease lease, String nodeName) {
        boolean mayLive = states.entrySet().stream()
                .anyMatch(entry ->
                        entry.getValue() == State.RUNS && entry.getKey().mayHaveTakenIt(lease, nodeName));
        return !mayLive
                && states.entrySet().stream()
                        .anyMatch(entry ->
                                entry.getValue() != State.RUNS && entry.getKey().tookIt(lease, nodeName));
    }
}
