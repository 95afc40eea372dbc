package dev.ouroboros.core.manifest;

/**
 * How pods get their network: a bridge in the node, addresses counted off by host-local, traffic to outside of the cluster
 * translated to the node's address.
 *
 * @param podCidr the node's share of the cluster's pod network
 */
public record CniSettings(String podCidr) {
    public static final String DIRECTORY = "/etc/cni/net.d";
    public static final String FILE = DIRECTORY + "/10-ouroboros.conflist";
    /** Where Debian's package has the plugins. */
    public static final String PLUGINS = "/usr/lib/cni";
    /** The device that pods are attached to. */
    public static final String BRIDGE = "cni0";

    /** The network configuration list; {@code hairpinMode} lets a pod reach itself through a Service. */
    public String configuration() {
        return """
                {
                  "cniVersion": "0.4.0",
                  "name": "ouroboros",
                  "plugins": [
                    {
                      "type": "bridge",
                      "bridge": "cni0",
                      "isGateway": true,
                      "ipMasq": true,
                      "hairpinMode": true,
                      "ipam": {
                        "type": "host-local",
                        "ranges": [[{"subnet": "%s"}]],
                        "routes": [{"dst": "0.0.0.0/0"}]
                      }
                    },
                    {
                      "type": "portmap",
                      "capabilities": {"portMappings": true},
                      "snat": true
                    }
                  ]
                }
                """.formatted(podCidr);
    }
}
