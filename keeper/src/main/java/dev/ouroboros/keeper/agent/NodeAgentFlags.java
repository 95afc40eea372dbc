package dev.ouroboros.keeper.agent;

import dev.ouroboros.keeper.routes.PodNetwork;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.flags.DaemonFlags;
import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.model.front.ServiceAddress;
import dev.ouroboros.model.problem.ProblemException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.logging.Level;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads the flags of a node's agent, all as {@code --name=value}. What is wrong with any of them is said at once. */
public final class NodeAgentFlags {
    /** The flag by which the program is an agent, and none by which it is a keeper. */
    public static final String ROLE = "--role=node";

    /** What {@code --help} prints. */
    public static final String USAGE = """
            Usage: ouro keeper --role=node --node-name=NAME --service-cluster-ip=IP --kubeconfig=FILE [FLAGS]

            Leads the clients of a node that is none of the control plane's to API servers that serve.

              --node-name=NAME            of this machine's Node
              --service-cluster-ip=IP[,IP]  of the kubernetes Service
              --kubeconfig=FILE           the agent's own, written as JSON
              --state-directory=DIR       (/var/lib/ouroboros)
              --manifest-directory=DIR    of the kubelet's static pods (/etc/kubernetes/manifests)
              --static-pod=FILE           manifest of the static copy, which it keeps there
              --static-copy=true          is that copy: gives way to the DaemonSet's pod
              --pod-network=FILE          template of the pods' network; where it is, routes to other nodes' pods are kept
              --pod-cidr=CIDR[,CIDR]      of all pods
              --kubelet-directory=DIR     with the kubelet's generations; where it is given, the one that is wished runs
              --kubelet-certificate=FILE  of the kubelet, with its key (/var/lib/kubelet/pki/kubelet-client-current.pem)
              --health-port=PORT          for probes, on 127.0.0.1 (26446)
              --log-level=LEVEL           debug, info, warn or error (info)

            Example: ouro keeper --role=node --node-name=node-2 --service-cluster-ip=10.3.0.1 \\
                --kubeconfig=/etc/kubernetes/secrets/kubeconfig-node-agent
            """;

    private static final String NEXT =
            "ouro keeper --role=node --help has every flag; those of a running agent are in its DaemonSet, kube-system/"
                    + Component.NODE_AGENT.id();

    private NodeAgentFlags() {}

    /**
     * @param arguments without {@link #ROLE}
     * @throws ProblemException with everything that is wrong
     */
    public static NodeAgentOptions parse(List<String> arguments) {
        DaemonFlags flags = new DaemonFlags(arguments, NEXT);
        String nodeName = flags.required("node-name");
        SortedSet<ServerAddress> services = flags.addresses("service-cluster-ip").stream()
                .map(ServiceAddress::ofKubernetes)
                .map(ServiceAddress::server)
                .collect(Collectors.toCollection(TreeSet::new));
        Path kubeconfig = flags.requiredPath("kubeconfig");
        Path state = flags.path("state-directory", StateLayout.DIRECTORY);
        Path manifests = flags.path("manifest-directory", "/etc/kubernetes/manifests");
        Optional<Path> staticPod = flags.optional("static-pod").map(Path::of);
        boolean staticCopy = flags.text("static-copy", "false", Pattern.compile("true|false"))
                .equals("true");
        Optional<PodNetwork> podNetwork = PodNetwork.of(flags);
        Path certificate = flags.path("kubelet-certificate", "/var/lib/kubelet/pki/kubelet-client-current.pem");
        Optional<NodeAgentOptions.Kubelet> kubelet = flags.optional("kubelet-directory")
                .map(directory -> new NodeAgentOptions.Kubelet(Path.of(directory), certificate));
        int healthPort = flags.port("health-port", Component.NODE_AGENT.port());
        Level level = flags.level();
        flags.end();
        return new NodeAgentOptions(
                nodeName,
                kubeconfig,
                services,
                state.resolve(StateLayout.KEEPER),
                manifests,
                staticPod,
                staticCopy,
                podNetwork,
                kubelet,
                healthPort,
                level);
    }
}
