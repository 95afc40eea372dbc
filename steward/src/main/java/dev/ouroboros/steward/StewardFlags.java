package dev.ouroboros.steward;

import dev.ouroboros.api.InClusterServer;
import dev.ouroboros.api.ServiceAccountSource;
import dev.ouroboros.endpoint.ClientFiles;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.StewardObjects;
import dev.ouroboros.model.flags.DaemonFlags;
import dev.ouroboros.model.problem.ProblemException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;

/** Reads the steward's flags, all as {@code --name=value}. Everything that is wrong with them is reported together. */
public final class StewardFlags {
    /** What {@code --help} prints. */
    public static final String USAGE = """
            Usage: steward --node-name=NAME --node-role=LABEL [FLAGS]

            Does what ControlPlane/cluster wishes: has certificates issued again before they end, and kubelets as they are to be; saves snapshots
            of etcd, has it as many members as it is to have, and says how it is.

              --node-name=NAME              of the Node that this runs on
              --node-role=LABEL             that control-plane nodes have
              --manages-etcd=BOOL           whether members of etcd are as the object wishes; false where they are their owner's (true)
              --etcd-ca-file=FILE           certificate of the authority that signed those of etcd's members
              --etcd-certificate-file=FILE  certificate of a client of etcd
              --etcd-private-key-file=FILE  its key; the three are needed to manage etcd, and to save snapshots of it
              --etcd-ca-key-file=FILE       key of that authority: without it no member is added
              --etcd-manifest=FILE          of this node's member, where the kubelet looks for it (/etc/kubernetes/manifests/etcd.yaml)
              --state-directory=DIR         with locks and journals, and backups/, where each cluster has a directory (/var/lib/ouroboros)
              --kubelet-kubeconfig=FILE     as which this node asks for its member's certificate (/var/lib/kubelet/kubeconfig)
              --runtime-socket=FILE         of the container runtime (/run/containerd/containerd.sock)
              --server=URL                  of the API (that of the kubernetes Service, as the kubelet tells every pod)
              --credentials=DIR             with token and ca.crt (/var/run/secrets/kubernetes.io/serviceaccount)
              --interval=TIME               between two looks (10s)
              --health-port=PORT            for probes and metrics, on loopback (26447)
              --log-level=LEVEL             debug, info, warn or error (info)

            Example: steward --node-name=node-1 --node-role=node-role.kubernetes.io/control-plane --manages-etcd=false
            """;

    private static final String NEXT =
            "the flags of a running steward are in its DaemonSet, kube-system/ouroboros-steward; --help lists all of them";

    private StewardFlags() {}

    /**
     * Reads them.
     *
     * @param environment in which the kubelet tells where the API is
     * @throws ProblemException with everything that is wrong
     */
    public static StewardOptions parse(List<String> arguments, Map<String, String> environment) {
        DaemonFlags flags = new DaemonFlags(arguments, NEXT);
        String node = flags.required("node-name");
        String nodeRole = flags.required("node-role");
        boolean managesEtcd = flags.bool(StewardObjects.MANAGES_ETCD, true);
        ClientFiles etcd = new ClientFiles(
                etcdFile(flags, "etcd-ca-file", managesEtcd),
                etcdFile(flags, "etcd-certificate-file", managesEtcd),
                etcdFile(flags, "etcd-private-key-file", managesEtcd));
        Optional<Path> authorityKey = flags.optional("etcd-ca-key-file").map(Path::of);
        Path state = flags.path("state-directory", StateLayout.DIRECTORY);
        Path manifest = flags.path("etcd-manifest", "/etc/kubernetes/manifests/etcd.yaml");
        Path kubeletKubeconfig = flags.path("kubelet-kubeconfig", "/var/lib/kubelet/kubeconfig");
        Path runtimeSocket = flags.path("runtime-socket", "/run/containerd/containerd.sock");
        URI server = InClusterServer.of(flags, environment);
        Path credentials = flags.path("credentials", ServiceAccountSource.DIRECTORY.toString());
        Duration interval = flags.time("interval", Duration.ofSeconds(10), Duration.ofSeconds(1));
        int healthPort = flags.port("health-port", Component.STEWARD.port());
        Level level = flags.level();
        flags.end();
        return new StewardOptions(
                node,
                nodeRole,
                server,
                credentials,
                managesEtcd,
                etcd,
                authorityKey,
                state,
                manifest,
                kubeletKubeconfig,
                runtimeSocket,
                interval,
                healthPort,
                level);
    }

    private static Optional<Path> etcdFile(DaemonFlags flags, String name, boolean isNeeded) {
        return isNeeded
                ? Optional.of(flags.requiredPath(name))
                : flags.optional(name).map(Path::of);
    }
}
