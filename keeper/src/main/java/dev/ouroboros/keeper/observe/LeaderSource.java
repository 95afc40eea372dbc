package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.LeaderLeases;
import dev.ouroboros.keeper.decide.Leading;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.leader.LeaderContainers;
import dev.ouroboros.model.leader.LeaderLease;
import dev.ouroboros.model.leader.LeaseWatch;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.runtime.ContainerRuntime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The Leases of controller manager and scheduler.
 *
 * <p>Those that leaders of this node left behind are read only when a container of one has ended, until it is known that none of those holds it; and each
 * is judged by what the runtime says after it was read. Whether one leads on another node is looked at only while this node has no living pod of one.
 */
final class LeaderSource {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    /** Between two looks at who leads elsewhere. A leader renews every two seconds. */
    private static final Duration WATCHED_EVERY = Duration.ofSeconds(5);

    /** A node that is lost is found out after 40 to 50 s (--node-monitor-grace-period), and its pods are not counted any more then. */
    private static final Duration COUNTED_AFTER = Duration.ofMinutes(2);

    /** Between two looks at two clocks. */
    private static final Duration BACK = Duration.ofSeconds(1);

    private static final String NOT_WATCHED = "the Leases of leaders are not looked at";

    private final RuntimeSource looks;
    private final ContainerRuntime runtime;
    private final ClusterGuard guard;
    private final LeaderLeases leases;
    private final String nodeName;
    private final Set<String> hostNames;
    private final Clocks clocks;
    private final Signal changed;
    private final Cell<List<LeaderLease>> abandoned;
    private final Map<Component, Reading> readings = new EnumMap<>(Component.class);
    private final Map<Component, Instant> notBefore = new EnumMap<>(Component.class);
    private final Map<Component, Evidence<Optional<LeaderLease>>> seen = new EnumMap<>(Component.class);
    private final Map<Component, Watched> watches = new ConcurrentHashMap<>();
    private final AtomicBoolean watching = new AtomicBoolean();
    private final Map<Component, Instant> watchedNotBefore = new EnumMap<>(Component.class);
    private LeaderContainers containers = LeaderContainers.NONE;
    private Evidence<List<RuntimePod>> followed = Evidence.unknown("not read yet");
    private Duration wallClockAhead = Duration.ZERO;
    private boolean clockWentBack;

    /**
     * @param steady never jumps
     * @param wall what containers and Leases go by
     */
    record Clocks(InstantSource steady, InstantSource wall) {}

    /** @param since when it was first read so */
    private record Reading(LeaderLease lease, Instant since) {}

    /**
     * @param isHere whether its holder may be, or may have been, a container of this node
     * @param isFollowed whether it was read twice
     */
    private record Watched(LeaseWatch watch, boolean isHere, boolean isFollowed) {}

    /** @param hostNames of static pods of this node, which are in its network; its Node may be called otherwise */
    LeaderSource(
            RuntimeSource looks,
            ContainerRuntime runtime,
            ClusterGuard guard,
            LeaderLeases leases,
            String nodeName,
            Set<String> hostNames,
            Clocks clocks,
            Signal changed) {
        this.looks = looks;
        this.runtime = runtime;
        this.guard = guard;
        this.leases = leases;
        this.nodeName = nodeName;
        this.hostNames = Set.copyOf(hostNames);
        this.clocks = clocks;
        this.changed = changed;
        this.abandoned = new Cell<>("api-leader-leases", changed);
        this.wallClockAhead = ahead();
    }

    void start(Lookouts lookouts) {
        lookouts.repeatAndWhenRestEnds("leader-leases", () -> refresh() ? changed.sparing(INTERVAL) : INTERVAL);
    }

    /** Looks from now on, or no more, at who leads on other nodes. */
    void watch(boolean wanted) {
        watching.set(wanted);
    }

    /** Who renews the Lease of a leader; unknown while nobody looks, or looked once only. Waits for nobody. */
    Evidence<Leading> leading(Component component) {
        Watched watched = watches.get(component);
        if (watched == null || !watched.isFollowed()) {
            return Evidence.unknown(NOT_WATCHED);
        }
        if (looks.value() instanceof Evidence.Unknown<List<RuntimePod>>(String reason)) {
            return Evidence.unknown(reason);
        }
        LeaseWatch watch = watched.watch();
        if (!watch.isRenewed(clocks.steady().instant()) || watch.renewedSince().isEmpty()) {
            return Evidence.known(new Leading.Nobody());
        }
        return Evidence.known(
                watched.isHere() ? new Leading.Here(watch.renewedSince().get()) : new Leading.Elsewhere());
    }

    /** Whether a controller manager has led for long enough that controllers' status is known to be of now; unknown while nobody looks. */
    Evidence<Boolean> countsAreKept() {
        Watched watched = watches.get(Component.CONTROLLER_MANAGER);
        return watched == null
                ? Evidence.unknown(NOT_WATCHED)
                : Evidence.known(watched.watch()
                        .isRenewedFor(COUNTED_AFTER, clocks.steady().instant()));
    }

    /** What cannot be read is as if it were not renewed: that is no evidence of a leader. */
    private void watchLeases() {
        if (!watching.get()) {
            watches.clear();
            watchedNotBefore.clear();
            return;
        }
        for (Component component : LeaderLease.LEADERS) {
            Instant now = clocks.steady().instant();
            if (now.isBefore(watchedNotBefore.getOrDefault(component, Instant.MIN))) {
                continue;
            }
            watchedNotBefore.put(component, now.plus(WATCHED_EVERY));
            try {
                guard.require();
                watch(component, leases.read(component));
            } catch (ApiException e) {
                watchedNotBefore.put(component, now.plus(e.pause(WATCHED_EVERY)));
            }
        }
    }

    private void watch(Component component, Optional<LeaderLease> lease) {
        Optional<Watched> before = Optional.ofNullable(watches.get(component));
        LeaseWatch watch = before.map(Watched::watch).orElse(LeaseWatch.NONE);
        boolean wasHere = before.filter(Watched::isHere).isPresent()
                && watch.isOf(lease.map(LeaderLease::holder).orElse(""));
        boolean isHere = lease.filter(held -> hostNames.stream().anyMatch(name -> containers.mayHaveTaken(held, name)))
                .isPresent();
        watches.put(
                component,
                new Watched(watch.after(lease, clocks.steady().instant()), wasHere || isHere, before.isPresent()));
    }

    /** Those whose holder has ended, and that nobody renews. */
    Evidence<List<LeaderLease>> abandoned() {
        return abandoned.get();
    }

    /** Whether no Lease has to be read any more. */
    synchronized boolean refresh() {
        watchClock();
        watchLeases();
        Evidence<List<RuntimePod>> last = looks.value();
        // The same object as long as nothing changes: then this takes no time.
        if (!last.equals(followed) && last instanceof Evidence.Known<List<RuntimePod>>(List<RuntimePod> pods)) {
            containers = containers.after(pods, clocks.wall().instant());
        }
        followed = last;
        if (last instanceof Evidence.Unknown<List<RuntimePod>>(String reason)) {
            abandoned.set(Evidence.unknown(reason));
            return true;
        }
        if (containers.unsettled().isEmpty()) {
            readings.clear();
            seen.clear();
            abandoned.set(Evidence.known(List.of()));
            return !watching.get();
        }
        lookAtLeases();
        return containers.unsettled().isEmpty() && !watching.get();
    }

    private void lookAtLeases() {
        seen.keySet().retainAll(containers.unsettled());
        for (Component component : LeaderLease.LEADERS) {
            if (containers.unsettled().contains(component) && isTime(component)) {
                try {
                    seen.put(component, Evidence.known(look(component)));
                } catch (ApiException e) {
                    notBefore.put(component, clocks.steady().instant().plus(e.pause(INTERVAL)));
                    seen.put(component, Evidence.unknown(String.valueOf(e.getMessage())));
                } catch (ProblemException e) {
                    seen.put(component, Evidence.unknown(e.describe()));
                }
            }
        }
        abandoned.set(together());
    }

    /** What is known of one counts, whatever is unknown of the other. */
    private Evidence<List<LeaderLease>> together() {
        List<LeaderLease> found = new ArrayList<>();
        Optional<String> unknown = Optional.empty();
        for (Evidence<Optional<LeaderLease>> evidence : seen.values()) {
            switch (evidence) {
                case Evidence.Known<Optional<LeaderLease>>(Optional<LeaderLease> lease) -> lease.ifPresent(found::add);
                case Evidence.Unknown<Optional<LeaderLease>>(String reason) -> unknown = Optional.of(reason);
            }
        }
        return found.isEmpty() && unknown.isPresent()
                ? Evidence.unknown(unknown.get())
                : Evidence.known(List.copyOf(found));
    }

    private boolean isTime(Component component) {
        Instant earliest = notBefore.getOrDefault(component, Instant.MIN);
        return !clocks.steady().instant().isBefore(earliest);
    }

    private Optional<LeaderLease> look(Component component) throws ApiException {
        guard.require();
        Optional<LeaderLease> lease = leases.read(component);
        notBefore.remove(component);
        // Looked at after the Lease was read: who holds it now was there then.
        containers = containers.after(runtime.pods(), clocks.wall().instant());
        Optional<Duration> unlessRenewedFor =
                lease.flatMap(held -> containers.endedUnlessRenewedFor(held, nodeName, clockWentBack));
        if (unlessRenewedFor.isEmpty()) {
            containers = containers.settled(component);
            readings.remove(component);
            return Optional.empty();
        }
        LeaderLease left = lease.orElseThrow();
        Reading reading = Optional.ofNullable(readings.get(component))
                .filter(before -> before.lease().equals(left))
                .orElseGet(() -> new Reading(left, clocks.steady().instant()));
        readings.put(component, reading);
        Instant due = reading.since().plus(unlessRenewedFor.get());
        return clocks.steady().instant().isBefore(due) ? Optional.empty() : lease;
    }

    private void watchClock() {
        Duration now = ahead();
        clockWentBack |= now.plus(BACK).compareTo(wallClockAhead) < 0;
        wallClockAhead = now;
    }

    private Duration ahead() {
        return Duration.between(clocks.steady().instant(), clocks.wall().instant());
    }
}
