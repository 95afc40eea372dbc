package dev.ouroboros.node.front;

import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.front.ServiceAddress;
import dev.ouroboros.node.namespace.NetworkNamespace;
import dev.ouroboros.node.process.LocalProcesses;
import java.net.InetAddress;
import java.util.List;

/**
 * A node with a neighbour on its network and a pod behind a veth whose node end has no address, only routes, as Calico
 * makes them. Node and pod send what they do not know to the neighbour and the node.
 */
final class TestNode implements AutoCloseable {
    static final String ADDRESS = "192.168.50.1";
    static final String ADDRESS_IPV6 = "fd50::1";
    static final String NEIGHBOUR_ADDRESS = "192.168.50.2";
    static final String NEIGHBOUR_ADDRESS_IPV6 = "fd50::2";
    static final String CLUSTER_IP = "10.3.0.1";
    static final String CLUSTER_IP_IPV6 = "fd03::1";
    static final int PRINCIPAL_PORT = 6443;
    static final int UNDERSTUDY_PORT = 26443;

    private final TestNamespace node = TestNamespace.create();
    private final TestNamespace neighbour = TestNamespace.create();
    private final TestNamespace pod = TestNamespace.create();

    TestNode() {
        connectNeighbour();
        connectPod();
    }

    private void connectNeighbour() {
        node.run("ip", "link", "add", "up0", "type", "veth", "peer", "name", "eth0", "netns", neighbour.file());
        node.run("ip", "address", "add", ADDRESS + "/24", "dev", "up0");
        node.run("ip", "-6", "address", "add", ADDRESS_IPV6 + "/64", "dev", "up0", "nodad");
        node.run("ip", "link", "set", "up0", "up");
        neighbour.run("ip", "address", "add", NEIGHBOUR_ADDRESS + "/24", "dev", "eth0");
        neighbour.run("ip", "-6", "address", "add", NEIGHBOUR_ADDRESS_IPV6 + "/64", "dev", "eth0", "nodad");
        neighbour.run("ip", "link", "set", "eth0", "up");
        node.run("ip", "route", "add", "default", "via", NEIGHBOUR_ADDRESS);
        node.run("ip", "-6", "route", "add", "default", "via", NEIGHBOUR_ADDRESS_IPV6);
        neighbour.run("ip", "route", "add", "10.0.0.0/8", "via", ADDRESS);
        neighbour.run("ip", "-6", "route", "add", "fd03::/16", "via", ADDRESS_IPV6);
    }

    private void connectPod() {
        node.run(
                "ip",
                "link",
                "add",
                "cali0",
                "address",
                "02:00:00:00:00:01",
                "type",
                "veth",
                "peer",
                "name",
                "eth0",
                "netns",
                pod.file());
        node.run("sysctl", "-q", "-w", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1");
        node.run("ip", "link", "set", "cali0", "up");
        node.run("ip", "route", "add", "10.2.0.2/32", "dev", "cali0");
        node.run("ip", "-6", "route", "add", "fd02::2/128", "dev", "cali0");
        pod.run("ip", "address", "add", "10.2.0.2/32", "dev", "eth0");
        pod.run("ip", "-6", "address", "add", "fd02::2/128", "dev", "eth0", "nodad");
        pod.run("ip", "link", "set", "eth0", "up");
        for (String gateway : List.of("169.254.1.1", "fe80::77")) {
            pod.run("ip", "neighbour", "add", gateway, "lladdr", "02:00:00:00:00:01", "dev", "eth0");
            pod.run("ip", "route", "add", "default", "via", gateway, "dev", "eth0", "onlink");
        }
        neighbour.run("ip", "-6", "route", "add", "fd02::/16", "via", ADDRESS_IPV6);
    }

    Front front() {
        return new NftFront(new LocalProcesses(), namespace().prefix(), spec());
    }

    static FrontSpec spec() {
        return new FrontSpec(
                PRINCIPAL_PORT,
                UNDERSTUDY_PORT,
                List.of(InetAddress.ofLiteral(ADDRESS), InetAddress.ofLiteral(ADDRESS_IPV6)),
                List.of(
                        ServiceAddress.ofKubernetes(InetAddress.ofLiteral(CLUSTER_IP)),
                        ServiceAddress.ofKubernetes(InetAddress.ofLiteral(CLUSTER_IP_IPV6))));
    }

    NetworkNamespace namespace() {
        return node.namespace();
    }

    NetworkNamespace neighbour() {
        return neighbour.namespace();
    }

    NetworkNamespace pod() {
        return pod.namespace();
    }

    /** Runs a command on the node that must succeed. */
    String run(String... command) {
        return node.run(command);
    }

    @Override
    public void close() {
        pod.close();
        neighbour.close();
        node.close();
    }
}
