package dev.ouroboros.node.front;

import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.namespace.NetworkNamespace;
import dev.ouroboros.node.namespace.TemporaryNamespace;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.util.List;

/**
 * A place off the node's loopback from which to dial the node: a network namespace at the end of a veth. What the node sends
 * to its own address never leaves loopback, where firewalls usually let everything pass.
 *
 * <p>The node's end of the veth has no address, so that nothing collides with the node's networks; routes and neighbours
 * are set for single addresses. All of it goes with {@link #close}, and with this process.
 */
public final class OffLoopback implements AutoCloseable {
    /** Source address of the calls; a firewall that lets only certain networks in refuses it. */
    static final String SOURCE_IPV4 = "169.254.77.2";

    static final String SOURCE_IPV6 = "fd6f:7572:6f77::2";

    private static final String GATEWAY_IPV4 = "169.254.77.1";
    private static final String GATEWAY_IPV6 = "fe80::77:1";
    private static final String NODE_END_MAC = "02:00:00:00:77:01";
    private static final String OUR_END_MAC = "02:00:00:00:77:02";

    private final Processes processes;
    private final List<String> insideNode;
    private final TemporaryNamespace place;
    private final String nodeEnd;

    private OffLoopback(Processes processes, List<String> insideNode, TemporaryNamespace place) {
        this.processes = processes;
        this.insideNode = List.copyOf(insideNode);
        this.place = place;
        this.nodeEnd = "ouro" + ProcessHandle.current().pid();
    }

    /**
     * Makes the place.
     *
     * @param insideNode prefix of commands that run in the node's network namespace; empty when it is ours
     * @param ipv6 whether the node has IPv6 addresses to dial
     * @throws ProblemException when the kernel or a missing program refuses; nothing is left then
     */
    public static OffLoopback open(Processes processes, List<String> insideNode, boolean ipv6) {
        OffLoopback opened = new OffLoopback(processes, insideNode, TemporaryNamespace.create());
        try {
            opened.connect();
            opened.addIpv4();
            if (ipv6) {
                opened.addIpv6();
            }
            return opened;
        } catch (ProblemException e) {
            opened.place.close();
            throw e;
        }
    }

    public Dialer dialer() {
        return Dialer.inside(place.namespace());
    }

    NetworkNamespace namespace() {
        return place.namespace();
    }

    /** Removes the place; the namespace itself, and so the veth, would end with this process anyhow. */
    @Override
    public void close() {
        try {
            onNode("ip", "link", "delete", nodeEnd);
        } finally {
            place.close();
        }
    }

    private void connect() {
        onNode(
                "ip",
                "link",
                "add",
                nodeEnd,
                "address",
                NODE_END_MAC,
                "type",
                "veth",
                "peer",
                "name",
                "eth0",
                "address",
                OUR_END_MAC,
                "netns",
                place.namespace().file().toString());
        onNode("ip", "link", "set", nodeEnd, "up");
        here("ip", "link", "set", "eth0", "up");
    }

    private void addIpv4() {
        onNode("ip", "route", "add", SOURCE_IPV4 + "/32", "dev", nodeEnd);
        onNode("ip", "neighbour", "add", SOURCE_IPV4, "lladdr", OUR_END_MAC, "dev", nodeEnd);
        here("ip", "address", "add", SOURCE_IPV4 + "/32", "dev", "eth0");
        here("ip", "neighbour", "add", GATEWAY_IPV4, "lladdr", NODE_END_MAC, "dev", "eth0");
        here("ip", "route", "add", "default", "via", GATEWAY_IPV4, "dev", "eth0", "onlink");
    }

    private void addIpv6() {
        onNode("ip", "-6", "route", "add", SOURCE_IPV6 + "/128", "dev", nodeEnd);
        onNode("ip", "-6", "neighbour", "add", SOURCE_IPV6, "lladdr", OUR_END_MAC, "dev", nodeEnd);
        here("ip", "-6", "address", "add", SOURCE_IPV6 + "/128", "dev", "eth0", "nodad");
        here("ip", "-6", "neighbour", "add", GATEWAY_IPV6, "lladdr", NODE_END_MAC, "dev", "eth0");
        here("ip", "-6", "route", "add", "default", "via", GATEWAY_IPV6, "dev", "eth0");
    }

    private void onNode(String... arguments) {
        processes.run(Command.of(arguments).behind(insideNode)).orThrow();
    }

    private void here(String... arguments) {
        processes.run(Command.of(arguments).behind(place.namespace().prefix())).orThrow();
    }
}
