package dev.ouroboros.dns;

import dev.ouroboros.model.net.Cidr;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;

/**
 * What the server is told.
 *
 * @param domain of Services
 * @param blocks of pods and Services
 * @param ours addresses of the cluster's DNS, of which nothing is asked
 * @param sliceVersion group and version of EndpointSlices
 * @param server of the API
 * @param credentials the directory that the kubelet mounts
 * @param resolvConf with the node's resolvers
 * @param ttl of the cluster's records, in seconds
 */
public record DnsOptions(
        String domain,
        List<Cidr> blocks,
        List<InetAddress> ours,
        String sliceVersion,
        URI server,
        Path credentials,
        Path resolvConf,
        int port,
        int healthPort,
        int ttl,
        Level logLevel) {
    public DnsOptions {
        blocks = List.copyOf(blocks);
        ours = List.copyOf(ours);
    }
}
