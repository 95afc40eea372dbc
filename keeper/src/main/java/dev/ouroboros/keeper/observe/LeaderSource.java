package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.LeaderLeases;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.leader.LeaderContainers;
import dev.ouroboros.model.leader.LeaderLease;
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

/**
 * The Leases that controller managers and schedulers of this node left behind. They are read only when a container of one has ended, until it is
 * known that none of those holds it; and each is judged by what the runtime says after it was read.
 */
final class LeaderSource {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    /** Between two looks at two clocks. */
    private static final Duration BACK = Duration.ofSeconds(1);

    private final RuntimeSource looks;
    private final ContainerRuntime runtime;
    private final ClusterGuard guard;
    private final LeaderLeases leases;
    private final String nodeName;
    private final Clocks clocks;
    private final Signal changed;
    private final Cell<List<LeaderLease>> abandoned;
    private final Map<Component, Reading> readings = new EnumMap<>(Component.class);
    private final Map<Component, Instant> notBefore = new EnumMap<>(Component.class);
    private final Map<Component, Evidence<Optional<LeaderLease>>> seen = new EnumMap<>(Component.class);
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

    LeaderSource(
            RuntimeSource looks,
            ContainerRuntime runtime,
            ClusterGuard guard,
            LeaderLeases leases,
            String nodeName,
            Clocks clocks,
            Signal changed) {
        this.looks = looks;
        this.runtime = runtime;
        this.guard = guard;
        this.leases = leases;
        this.nodeName = nodeName;
        this.clocks = clocks;
        this.changed = changed;
        this.abandoned = new Cell<>("api-leader-leases", changed);
        this.wallClockAhead = ahead();
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
        watchClock();
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
            return true;
        }
        lookAtLeases();
        return containers.unsettled().isEmpty();
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
