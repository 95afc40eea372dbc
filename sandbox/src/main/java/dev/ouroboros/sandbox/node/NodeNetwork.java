package dev.ouroboros.sandbox.node;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.sandbox.NodeRecord;
import java.util.Collection;
import java.util.stream.Collectors;

/** Gives a node its address, and everybody a way to it and to its pods. Nothing of the host's forwarding or filtering is touched. */
public final class NodeNetwork {
    private final NetworkSwitch networkSwitch;
    private final Processes processes;

    public NodeNetwork(NetworkSwitch networkSwitch, Processes processes) {
        this.networkSwitch = networkSwitch;
        this.processes = processes;
    }

    /** Makes the network of a node that has none, and leaves one that is complete as it is. */
    public void connect(Subnet subnet, NodeRecord record, RunningNode node) {
        networkSwitch.ensure(subnet);
        if (networkSwitch.isConnected(record) && isConfigured(subnet, node)) {
            return;
        }
        networkSwitch.connect(subnet, record, node.pid());
        // The route comes last: it is the sign that all of this is done.
        order(node, """
                address replace %s/%d dev eth0
                link set eth0 up
                route replace default via %s dev eth0
                """.formatted(subnet.nodeAddress(record.number()), Subnet.PREFIX_LENGTH, subnet.hostAddress()));
    }

    /**
     * Lets a node that is connected reach the pods of others, as the network of a cloud does: a pod network of several nodes needs that of
     * whatever is below it.
     *
     * @param others of the sandbox; those whose pods have no addresses yet are left out
     */
    public void route(Subnet subnet, RunningNode node, Collection<NodeRecord> others) {
        String orders = others.stream()
                .flatMap(other -> other.podCidr().stream()
                        .map(cidr -> "route replace %s via %s dev eth0\n"
                                .formatted(cidr, subnet.nodeAddress(other.number()))))
                .collect(Collectors.joining());
        if (!orders.isEmpty()) {
            order(node, orders);
        }
    }

    private void order(RunningNode node, String orders) {
        processes
                .run(node.enter(Command.of("ip", "-batch", "-").withInput(orders)))
                .orThrow();
    }

    private boolean isConfigured(Subnet subnet, RunningNode node) {
        String route = processes
                .run(node.enter(Command.of("ip", "route", "show", "default")))
                .orThrow();
        return route.startsWith("default via " + subnet.hostAddress() + " ");
    }
}
