package dev.ouroboros.keeper;

import dev.ouroboros.keeper.decide.KeeperSettings;
import dev.ouroboros.keeper.routes.PodNetwork;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.flags.DaemonFlags;
import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.front.ServiceAddress;
import dev.ouroboros.model.problem.ProblemException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;

/** Reads the flags of the daemon, all as {@code --name=value}. What is wrong with any of them is said at once. */
public final class KeeperFlags {
    /** What {@code --help} prints. */
    public static final String USAGE = """
            Usage: ouro keeper --node-name=NAME --node-address=IP --service-cluster-ip=IP --kubeconfig=FILE [FLAGS]

            Keeps the control plane of this node: checkpoints its components, starts an understudy when one fails.

              --node-name=NAME            of this machine's Node
              --node-address=IP[,IP]      at which clients reach this node's API server
              --service-cluster-ip=IP[,IP]  of the kubernetes Service
              --kubeconfig=FILE           the keeper's own, written as JSON
              --principal-port=PORT       of the API server (6443)
              --pod-name=NAME             of the pod this runs in; tells the static copy from the DaemonSet's pod
              --runtime-socket=FILE       of the container runtime (/run/containerd/containerd.sock)
              --manifest-directory=DIR    of the kubelet (/etc/kubernetes/manifests)
              --state-directory=DIR       (/var/lib/ouroboros)
              --bootstrap-secrets=DIR     where 'ouro start' copies keys to
              --pod-logs=DIR              of the kubelet (/var/log/pods)
              --pod-network=FILE          template of the pods' network; where it is, routes to other nodes' pods are kept
              --pod-cidr=CIDR[,CIDR]      of all pods
              --kubelet-directory=DIR     with the kubelet's generations; where it is given, the one that is wished runs
              --health-port=PORT          for probes and metrics, on 127.0.0.1 (26445)
              --failover=TIME             how long a principal must have failed (3s)
              --patience=TIME             how long a pod that is not ready is waited for (10s)
              --leader-patience=TIME      the same of a controller manager or scheduler that runs (45s)
              --steady=TIME               how long a principal must be back (5s)
              --drain=TIME                how long an understudy goes on after clients moved (2s)
              --soak=TIME                 how long a pod must be healthy to be the last good one (60s)
              --prove=TIME                how long a candidate must answer every question well (10s)
              --candidate-deadline=TIME   how long a candidate, and then its principal, may take for that (5m; more where the machine is slow)
              --retire-grace=TIME         before checkpoints of what does not belong here go (5m)
              --leave-grace=TIME          the same on a node that left the control plane, while others serve (60s)
              --pivot-grace=TIME          before an abandoned start is finished (30s)
              --lease=TIME                how long the front leads to an understudy without a keeper (5m)
              --cut=TIME                  how long a principal that hangs is cut off without a keeper (20s)
              --log-level=LEVEL           debug, info, warn or error (info)

            Example: ouro keeper --node-name=node-1 --node-address=192.0.2.10 --service-cluster-ip=10.3.0.1 \\
                --kubeconfig=/etc/kubernetes/secrets/kubeconfig
            """;

    private static final String NEXT =
            "ouro keeper --help has every flag; those of a running keeper are in its DaemonSet, kube-system/ouroboros-keeper";

    /** The timeouts of the front are written in whole seconds. */
    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);

    private final DaemonFlags flags;

    private KeeperFlags(DaemonFlags flags) {
        this.flags = flags;
    }

    /** @throws ProblemException with everything that is wrong */
    public static KeeperOptions parse(List<String> arguments) {
        return new KeeperFlags(new DaemonFlags(arguments, NEXT)).read();
    }

    private KeeperOptions read() {
        KeeperSettings defaults = KeeperSettings.DEFAULT;
        String nodeName = flags.required("node-name");
        List<InetAddress> addresses = flags.addresses("node-address");
        List<InetAddress> services = flags.addresses("service-cluster-ip");
        int principalPort = flags.port("principal-port", Component.API_SERVER.port());
        Optional<FrontSpec> front = front(principalPort, addresses, services);
        Path kubeconfig = flags.requiredPath("kubeconfig");
        Path runtimeSocket = flags.path("runtime-socket", "/run/containerd/containerd.sock");
        Path manifests = flags.path("manifest-directory", "/etc/kubernetes/manifests");
        Path state = flags.path("state-directory", StateLayout.DIRECTORY);
        Path secrets = flags.path("bootstrap-secrets", AssetLayout.BOOTSTRAP_SECRETS_DIRECTORY);
        Path podLogs = flags.path("pod-logs", "/var/log/pods");
        Optional<PodNetwork> podNetwork = PodNetwork.of(flags);
        Optional<Path> kubelet = flags.optional("kubelet-directory").map(Path::of);
        int healthPort = flags.port("health-port", Component.KEEPER.port());
        KeeperSettings settings = new KeeperSettings(
                time("failover", defaults.failover()),
                time("patience", defaults.patience()),
                time("leader-patience", defaults.leaderPatience()),
                time("steady", defaults.steady()),
                time("drain", defaults.drain()),
                time("soak", defaults.soak()),
                time("prove", defaults.prove()),
                time("candidate-deadline", defaults.candidateDeadline()),
                time("retire-grace", defaults.retireGrace()),
                time("leave-grace", defaults.leaveGrace()),
                time("pivot-grace", defaults.pivotGrace()),
                flags.time("lease", defaults.lease(), SHORTEST_LEASE),
                flags.time("cut", defaults.cut(), SHORTEST_LEASE));
        Level level = flags.level();
        Optional<String> podName = flags.optional("pod-name");
        flags.end();
        return new KeeperOptions(
                nodeName,
                podName,
                addresses.getFirst().getHostAddress(),
                url(addresses.getFirst(), principalPort),
                front.orElseThrow(),
                kubeconfig,
                runtimeSocket,
                manifests,
                state,
                secrets,
                podLogs,
                podNetwork,
                kubelet,
                healthPort,
                settings,
                level);
    }

    private Duration time(String name, Duration fallback) {
        return flags.time(name, fallback, Duration.ZERO);
    }

    private Optional<FrontSpec> front(int port, List<InetAddress> addresses, List<InetAddress> services) {
        if (addresses.isEmpty() || services.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new FrontSpec(
                    port,
                    Component.API_SERVER.understudyPort(),
                    addresses,
                    services.stream().map(ServiceAddress::ofKubernetes).toList()));
        } catch (IllegalArgumentException e) {
            flags.problem("--node-address, --service-cluster-ip", String.valueOf(e.getMessage()), "");
            return Optional.empty();
        }
    }

    private static URI url(InetAddress address, int port) {
        String host = address.getHostAddress();
        return URI.create("https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
    }
}
