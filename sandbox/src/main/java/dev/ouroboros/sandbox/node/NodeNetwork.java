package dev.ouroboros.sandbox.node;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.sandbox.SandboxName;
import dev.ouroboros.sandbox.host.Links;

/** Gives a node its address, and the host a way to it. Nothing of the host's forwarding or filtering is touched. */
public final class NodeNetwork {
    private final Links links;
    private final Processes processes;

    public NodeNetwork(Links links, Processes processes) {
        this.links = links;
        this.processes = processes;
    }

    /** Makes the network of a node that has none, and leaves one that is complete as it is. */
    public void connect(SandboxName name, Subnet subnet, RunningNode node) {
        if (links.has(name.link(), name.value()) && isConfigured(subnet, node)) {
            return;
        }
        links.connect(name.link(), name.value(), node.pid(), subnet.hostAddress() + "/" + Subnet.PREFIX_LENGTH);
        // The route comes last: it is the sign that all of this is done.
        String orders = """
                address replace %s/%d dev eth0
                link set eth0 up
                route replace default via %s dev eth0
                """.formatted(subnet.nodeAddress(), Subnet.PREFIX_LENGTH, subnet.hostAddress());
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
