package dev.ouroboros.node.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.node.port.Listener;
import dev.ouroboros.node.port.Listeners;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Who listens on the ports of a control-plane node. */
final class PortCheck implements Check {
    /** The program that is meant to have each port. */
    private static final SortedMap<Integer, String> PORTS = ports();

    private static final String KEEPER_PROGRAM = "java";
    private static final String CHECK = "port ";

    private final Listeners listeners;

    PortCheck(Listeners listeners) {
        this.listeners = listeners;
    }

    @Override
    public List<Finding> run() {
        List<Finding> findings = PORTS.entrySet().stream()
                .flatMap(entry -> judge(entry.getKey(), entry.getValue()))
                .toList();
        return findings.isEmpty() ? List.of(Finding.ok("ports", "nobody listens on " + PORTS.keySet())) : findings;
    }

    private Stream<Finding> judge(int port, String program) {
        String check = CHECK + port;
        return switch (listeners.on(port)) {
            case Evidence.Unknown<List<Listener>>(String reason) -> Stream.of(Finding.unknown(check, reason));
            case Evidence.Known<List<Listener>>(List<Listener> owners) ->
                owners.stream().limit(1).map(owner -> judge(check, program, owner));
        };
    }

    private static Finding judge(String check, String program, Listener owner) {
        String evidence = "held by " + owner.program() + " (PID " + owner.process() + ")";
        if (owner.program().equals(program)) {
            return Finding.ok(check, evidence);
        }
        return Ailment.PORT_IS_TAKEN.of(
                check, evidence, (program.equals(KEEPER_PROGRAM) ? "the keeper" : program) + " cannot listen there");
    }

    private static SortedMap<Integer, String> ports() {
        SortedMap<Integer, String> ports = new TreeMap<>(Map.of(Component.ETCD_PEER_PORT, Component.ETCD.id()));
        for (Component component : List.of(Component.ETCD, Component.API_SERVER, Component.KUBELET)) {
            ports.put(component.port(), component.id());
        }
        ports.put(Component.KEEPER.port(), KEEPER_PROGRAM);
        Component.WITH_UNDERSTUDY.forEach(component -> ports.put(component.understudyPort(), component.id()));
        return Collections.unmodifiableSortedMap(ports);
    }
}
