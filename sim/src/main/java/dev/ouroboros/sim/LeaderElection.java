package dev.ouroboros.sim;

import static dev.ouroboros.sim.Blueprint.fields;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.leader.LeaderLease;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * Who holds the Leases of controller manager and scheduler, as client-go elects. They stand beside the other objects: nobody watches them, and a
 * renewal is nothing that happens. Controllers work here with a Lease or without.
 */
final class LeaderElection {
    private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/";
    private static final Duration LEASE = Duration.ofSeconds(60);

    private final ClusterModel cluster;
    private final Map<Component, Held> held = new EnumMap<>(Component.class);
    private int holders;

    /** @param until by a clock that does not jump */
    private record Held(
            Machine machine, Program program, String holder, Instant acquired, Instant renewed, Instant until) {}

    LeaderElection(ClusterModel cluster) {
        this.cluster = cluster;
    }

    /** Lets those of a machine that reaches the API renew, or take what has run out. */
    void turn(Machine machine) {
        for (Component component : LeaderLease.LEADERS) {
            Optional<Held> lease = Optional.ofNullable(held.get(component));
            boolean here = lease.filter(holder -> holder.machine() == machine).isPresent();
            if (here && lease.get().program().isReady(machine.now())) {
                Held holder = lease.get();
                hold(component, machine, holder.program(), holder.holder(), holder.acquired());
            } else if (lease.filter(holder -> machine.now().isBefore(holder.until()))
                    .isEmpty()) {
                candidate(component, machine).ifPresent(run -> {
                    String hostName = run.isStatic ? machine.name() : run.name;
                    hold(
                            component,
                            machine,
                            run.program.orElseThrow(),
                            hostName + "_" + ++holders,
                            machine.wallClock());
                });
            }
        }
    }

    private void hold(Component component, Machine machine, Program program, String holder, Instant acquired) {
        held.put(
                component,
                new Held(
                        machine,
                        program,
                        holder,
                        acquired,
                        machine.wallClock(),
                        machine.now().plus(LEASE)));
    }

    private static Optional<PodRun> candidate(Component component, Machine machine) {
        return machine.kubelet().runs().stream()
                .filter(run -> run.role == roleOf(component) && run.isReady(machine.now(), true))
                .findFirst();
    }

    private static Role roleOf(Component component) {
        return component == Component.SCHEDULER ? Role.SCHEDULER : Role.CONTROLLER_MANAGER;
    }

    /** The Lease at a path, if that is one's of a leader. */
    Optional<Json> get(String path) {
        return component(path)
                .flatMap(component -> Optional.ofNullable(held.get(component)))
                .map(lease -> fields(
                        "metadata",
                        fields("resourceVersion", lease.renewed().toString()),
                        "spec",
                        fields(
                                "holderIdentity",
                                lease.holder(),
                                "acquireTime",
                                lease.acquired().toString(),
                                "renewTime",
                                lease.renewed().toString())));
    }

    static Optional<Component> component(String path) {
        return LeaderLease.LEADERS.stream()
                .filter(component -> path.equals(LEASES + component.id()))
                .findFirst();
    }

    /** A keeper empties a Lease. */
    void release(Component component) {
        Optional<Held> lease = Optional.ofNullable(held.remove(component));
        cluster.trace().count("lease of a leader: released");
        // A clock that went back makes a container younger than what it did.
        boolean wentBack = cluster.machines().stream().anyMatch(Machine::wallClockWentBack);
        cluster.require(
                wentBack
                        || lease.filter(holder -> holder.program().isAlive(cluster.now()))
                                .isEmpty(),
                "one leader",
                "the Lease of " + component.id() + " is taken from " + lease.map(Held::holder) + ", which lives");
    }
}
