package dev.ouroboros.sandbox;

import dev.ouroboros.sandbox.node.Subnet;

/**
 * What is decided once for a node of a sandbox, and kept.
 *
 * @param name a DNS label, one of its sandbox alone
 * @param number the last part of its address, 2 to 254
 * @param etcd whether it runs a member of etcd, which is decided when its cluster is made
 */
public record NodeRecord(String name, int number, boolean etcd) {
    public NodeRecord(String name, int number) {
        this(name, number, false);
    }

    /** The node that a sandbox begins with: it has the asset directory, and is called as the sandbox is. */
    static NodeRecord first(SandboxName sandbox) {
        return new NodeRecord(sandbox.node(), Subnet.FIRST_NODE, true);
    }

    /** The name of its port at the sandbox's switch. */
    public String port() {
        return "node" + number;
    }
}
