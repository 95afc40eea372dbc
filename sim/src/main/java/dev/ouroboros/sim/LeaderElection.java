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

    private final Machine machine;
    private final Map<Component, Held> held = new EnumMap<>(Component.class);
    private int holders;

    /** @param until by a clock that does not jump */
    private record Held(Program program, String holder, Instant acquired, Instant renewed, Instant until) {}

    LeaderElection(Machine machine) {
        this.machine = machine;
    }

    /** Lets those that reach the API renew, or take what has run out. */
    void turn() {
        for (Component component : LeaderLease.LEADERS) {
            Optional<Held> lease = Optional.ofNullable(held.get(component));
            if (lease.filter(holder -> holder.program().isReady(machine.now())).isPresent()) {
                Held holder = lease.get();
                hold(component, holder.program(), holder.holder(), holder.acquired());
            } else if (lease.filter(holder -> machine.now().isBefore(holder.until()))
                    .isEmpty()) {
                candidate(component).ifPresent(run -> {
                    String hostName = run.isStatic ? Blueprint.NODE : run.name;
                    hold(component, run.program.orElseThrow(), hostName + "_" + ++holders, machine.wallClock());
                });
            }
        }
    }

    private void hold(Component component, Program program, String holder, Instant acquired) {
        held.put(
                component,
                new Held(
                        program,
                        holder,
                        acquired,
                        machine.wallClock(),
                        machine.now().plus(LEASE)));
    }

    private Optional<PodRun> candidate(Component component) {
        Role role = component == Component.SCHEDULER ? Role.SCHEDULER : Role.CONTROLLER_MANAGER;
        return machine.kubelet().runs().stream()
                .filter(run -> run.role == role && run.isReady(machine.now(), true))
                .findFirst();
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
        machine.trace().count("lease of a leader: released");
        // A clock that went back makes a container younger than what it did.
        machine.invariants()
                .require(
                        machine.wallClockWentBack()
                                || lease.filter(holder -> holder.program().isAlive(machine.now()))
                                        .isEmpty(),
                        "one leader",
                        "the Lease of " + component.id() + " is taken from " + lease.map(Held::holder)
                                + ", which lives");
    }
}
