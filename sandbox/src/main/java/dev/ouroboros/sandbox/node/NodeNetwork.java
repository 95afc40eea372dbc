package dev.ouroboros.sandbox.node;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.sandbox.NodeRecord;

/** Gives a node its address, and everybody a way to it. Nothing of the host's forwarding or filtering is touched. */
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
