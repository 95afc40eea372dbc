package dev.ouroboros.model.leader;

import static java.util.stream.Collectors.toSet;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentContainer;
import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The containers of this node that may have led the cluster, and which of them have ended. Follows what the runtime says, look by look: a
 * container that the kubelet removed at once is known from the look before.
 */
public record LeaderContainers(SortedMap<LeaderContainer, Life> lives) {
    public static final LeaderContainers NONE = new LeaderContainers(new TreeMap<>());

    private static final String NAMESPACE = "kube-system";
    /** A leader renews every two seconds, as long as it reaches the API. */
    private static final Duration RENEWAL_IS_LATE = Duration.ofSeconds(3);
    /** Longer, where only times of the wall clock tell the one that ended from one that runs. */
    private static final Duration RENEWAL_IS_MISSED = Duration.ofSeconds(10);
    /** By then its Lease has run out, whoever could have been asked. */
    private static final Duration FORGOTTEN_AFTER = Duration.ofMinutes(5);

    /** What is known of one container. */
    sealed interface Life {
        record Runs() implements Life {}

        /**
         * @param at by the node's wall clock; when it was first missed, if the runtime does not say
         * @param settled whether it is known to hold no Lease
         */
        record Ended(Instant at, boolean settled) implements Life {}
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

        private boolean tookIt(LeaderLease lease, Instant ended, String nodeName) {
            // Static pods of ours are in the node's network. Of one that the API made, nobody says whether it is: such
            // a Lease runs out by itself.
            return lease.component() == component
                    && lease.isOf(isStatic ? nodeName : pod)
                    && !created.isAfter(lease.acquired())
                    && !lease.renewed().isAfter(ended);
        }

        private boolean hasItsName(LeaderLease lease, String nodeName) {
            return lease.component() == component && (lease.isOf(pod) || lease.isOf(nodeName));
        }
    }

    public LeaderContainers {
        lives = Collections.unmodifiableSortedMap(new TreeMap<>(lives));
    }

    /**
     * What is known after another look.
     *
     * @param pods all that the runtime has
     * @param now by the node's wall clock
     */
    public LeaderContainers after(List<RuntimePod> pods, Instant now) {
        SortedMap<LeaderContainer, Life> next = new TreeMap<>();
        lives.forEach((container, life) -> {
            Life.Ended ended = life instanceof Life.Ended before ? before : new Life.Ended(now, false);
            if (!ended.settled() && now.isBefore(ended.at().plus(FORGOTTEN_AFTER))) {
                next.put(container, ended);
            }
        });
        for (RuntimePod pod : pods) {
            if (pod.namespace().equals(NAMESPACE)) {
                pod.containers().forEach(container -> see(pod, container, now, next));
            }
        }
        return new LeaderContainers(next);
    }

    private void see(RuntimePod pod, RuntimeContainer container, Instant now, Map<LeaderContainer, Life> next) {
        Optional<Component> component =
                ComponentContainer.of(container.name(), container.image()).filter(LeaderLease.LEADERS::contains);
        if (component.isEmpty()) {
            return;
        }
        LeaderContainer seen = new LeaderContainer(
                component.get(), pod.name(), pod.isStatic(), container.attempt(), container.createdAt());
        if (container.state() != RuntimeContainer.State.EXITED) {
            next.put(seen, new Life.Runs());
        } else if (lives.get(seen) instanceof Life.Ended before) {
            next.put(seen, before);
        } else {
            Instant end =
                    container.exit().map(RuntimeContainer.Exit::finishedAt).orElse(now);
            next.put(seen, new Life.Ended(end, false));
        }
    }

    /** What is known when the Lease of a component was read, and none of those that ended holds it. */
    public LeaderContainers settled(Component component) {
        SortedMap<LeaderContainer, Life> next = new TreeMap<>(lives);
        next.replaceAll((container, life) ->
                life instanceof Life.Ended(Instant at, boolean _) && container.component() == component
                        ? new Life.Ended(at, true)
                        : life);
        return new LeaderContainers(next);
    }

    /**
     * Whether a container of this node, which may have ended since, may have taken a Lease.
     *
     * @param nodeName host name of this node
     */
    public boolean mayHaveTaken(LeaderLease lease, String nodeName) {
        return lease.isOf(nodeName)
                || lives.keySet().stream().anyMatch(container -> container.hasItsName(lease, nodeName));
    }

    /** The components of which a container ended that may have left its Lease behind. */
    public Set<Component> unsettled() {
        return lives.entrySet().stream()
                .filter(entry -> entry.getValue() instanceof Life.Ended(Instant _, boolean settled) && !settled)
                .map(entry -> entry.getKey().component())
                .collect(toSet());
    }

    /**
     * For how long nobody must have renewed a Lease before its holder is known to have ended: a container that was there when the Lease was
     * taken, and ended after it was renewed last. Empty when none did, or when one that runs may be the holder.
     *
     * @param nodeName host name of this node
     * @param clockWentBack whether the wall clock did, so that a container may be younger than what it did
     */
    public Optional<Duration> endedUnlessRenewedFor(LeaderLease lease, String nodeName, boolean clockWentBack) {
        boolean ended = lives.entrySet().stream()
                .anyMatch(entry -> entry.getValue() instanceof Life.Ended(Instant at, boolean _)
                        && entry.getKey().tookIt(lease, at, nodeName));
        List<LeaderContainer> namesakes = lives.entrySet().stream()
                .filter(entry ->
                        entry.getValue() instanceof Life.Runs && entry.getKey().hasItsName(lease, nodeName))
                .map(Map.Entry::getKey)
                .toList();
        boolean mayLive = namesakes.stream()
                .anyMatch(container -> clockWentBack || !container.created().isAfter(lease.acquired()));
        if (!ended || mayLive) {
            return Optional.empty();
        }
        return Optional.of(namesakes.isEmpty() && !lease.isOf(nodeName) ? RENEWAL_IS_LATE : RENEWAL_IS_MISSED);
    }
}
