package dev.ouroboros.render.manifest;

/**
 * How pods get their network: a bridge on the node, addresses from host-local, and masquerading to the node's address for all traffic that leaves the
 * node; pods on other nodes see that address, too.
 *
 * <p>A node's own pod addresses are in its Node. The kubelet passes them to containerd (UpdateRuntimeConfig in the Container Runtime Interface; no
 * longer deprecated, containerd#8606), which fills in the template if there is no network yet.
 */
public final class CniSettings {
    public static final String DIRECTORY = "/etc/cni/net.d";
    /** In containerd's own directory, of which it reads {@code .conf}, {@code .conflist} and {@code .json} only. */
    public static final String TEMPLATE = DIRECTORY + "/ouroboros.template";
    /** What containerd makes of the template: {@code cniConfigFileName} in pkg/cri/server/update_runtime_config.go. */
    public static final String GENERATED = DIRECTORY + "/10-containerd-net.conflist";
    /** What {@code host prepare} wrote before there was a template, with the pod addresses of one node. */
    public static final String FORMER = DIRECTORY + "/10-ouroboros.conflist";
    /** Where Debian's package has the plugins. */
    public static final String PLUGINS = "/usr/lib/cni";
    /** The device that pods are attached to. */
    public static final String BRIDGE = "cni0";

    private CniSettings() {}

    /** The network configuration list as a template of Go's text/template; {@code hairpinMode} lets a pod reach itself through a Service. */
    public static String template() {
        return """
                {
                  "cniVersion": "0.4.0",
                  "name": "ouroboros",
                  "plugins": [
                    {
                      "type": "bridge",
                      "bridge": "%s",
                      "isGateway": true,
                      "ipMasq": true,
                      "hairpinMode": true,
                      "ipam": {
                        "type": "host-local",
                        "ranges": [{{range $index, $block := .PodCIDRRanges}}{{if $index}}, {{end}}[{"subnet": "{{$block}}"}]{{end}}],
                        "routes": [{{range $index, $route := .Routes}}{{if $index}}, {{end}}{"dst": "{{$route}}"}{{end}}]
                      }
                    },
                    {
                      "type": "portmap",
                      "capabilities": {"portMappings": true},
                      "snat": true
                    }
                  ]
                }
                """.formatted(BRIDGE);
    }
}
