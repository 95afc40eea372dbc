package dev.ouroboros.core.checkpoint;

import dev.ouroboros.core.version.KubernetesVersion;

/**
 * The node that an understudy is for.
 *
 * @param name of the Node object
 * @param address the node's own, as its API server is reached
 * @param kubelet version of the kubelet that must run the understudy
 */
public record NodeFacts(String name, String address, KubernetesVersion kubelet) {
    public NodeFacts {
        if (name.isEmpty() || address.isEmpty()) {
            throw new IllegalArgumentException(
                    "a node has a name and an address, not '" + name + "', '" + address + "'");
        }
    }
}
