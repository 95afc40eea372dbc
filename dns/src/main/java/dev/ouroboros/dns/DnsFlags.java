package dev.ouroboros.dns;

import dev.ouroboros.api.InClusterServer;
import dev.ouroboros.api.ServiceAccountSource;
import dev.ouroboros.model.flags.DaemonFlags;
import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.problem.ProblemException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.regex.Pattern;

/** Reads the server's flags, all as {@code --name=value}. What is wrong with any of them is said at once. */
public final class DnsFlags {
    /** What {@code --help} prints. */
    public static final String USAGE = """
            Usage: dns --cluster-cidrs=CIDR[,CIDR] --cluster-dns=IP[,IP] [FLAGS]

            Answers for the names of a cluster's Services and pods, and asks the node's resolvers for all others.

              --cluster-cidrs=CIDR[,CIDR]  of pods and Services: reverse lookups in them are the cluster's
              --cluster-dns=IP[,IP]        of the Service that this serves: nothing is forwarded to it
              --cluster-domain=NAME        of Services (cluster.local)
              --endpoint-slices=VERSION    group and version of EndpointSlices (discovery.k8s.io/v1)
              --server=URL                 of the API (that of the kubernetes Service, as the kubelet tells every pod)
              --credentials=DIR            with token and ca.crt (/var/run/secrets/kubernetes.io/serviceaccount)
              --resolv-conf=FILE           with the node's resolvers (/etc/resolv.conf)
              --port=PORT                  for queries over UDP and TCP (1053)
              --health-port=PORT           for probes and metrics (8053)
              --ttl=SECONDS                of the cluster's records (5)
              --log-level=LEVEL            debug, info, warn or error (info)

            Example: dns --cluster-cidrs=10.2.0.0/16,10.3.0.0/24 --cluster-dns=10.3.0.10
            """;

    private static final Pattern DOMAIN =
            Pattern.compile("[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*");
    private static final Pattern VERSION = Pattern.compile("[a-z0-9.]+/v[a-z0-9]+");
    private static final int LONGEST_TTL = 3600;
    private static final String NEXT =
            "the flags of a running server are in its Deployment, kube-system/ouroboros-dns; --help lists all of them";

    private final DaemonFlags flags;
    private final Map<String, String> environment;

    private DnsFlags(DaemonFlags flags, Map<String, String> environment) {
        this.flags = flags;
        this.environment = environment;
    }

    /**
     * Reads them.
     *
     * @param environment in which the kubelet tells where the API is
     * @throws ProblemException with everything that is wrong
     */
    public static DnsOptions parse(List<String> arguments, Map<String, String> environment) {
        return new DnsFlags(new DaemonFlags(arguments, NEXT), environment).read();
    }

    private DnsOptions read() {
        List<Cidr> blocks = flags.list("cluster-cidrs", "blocks as 10.2.0.0/16,10.3.0.0/24", DnsFlags::block);
        List<InetAddress> ours = flags.addresses("cluster-dns");
        String domain = flags.text("cluster-domain", "cluster.local", DOMAIN);
        String slices = flags.text("endpoint-slices", "discovery.k8s.io/v1", VERSION);
        URI server = InClusterServer.of(flags, environment);
        Path credentials = flags.path("credentials", ServiceAccountSource.DIRECTORY.toString());
        Path resolvConf = flags.path("resolv-conf", "/etc/resolv.conf");
        int port = flags.port("port", 1053);
        int healthPort = flags.port("health-port", 8053);
        int ttl = flags.number("ttl", 5, 0, LONGEST_TTL);
        Level level = flags.level();
        flags.end();
        return new DnsOptions(
                domain, blocks, ours, slices, server, credentials, resolvConf, port, healthPort, ttl, level);
    }

    private static Optional<Cidr> block(String text) {
        try {
            return Optional.of(Cidr.parse(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
