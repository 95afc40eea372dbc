package dev.ouroboros.dns.forward;

import dev.ouroboros.model.net.Cidr;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The node's resolvers, as {@code resolv.conf} names them.
 *
 * @param usable in the order of the file
 * @param refused each with why it is not asked
 */
public record Resolvers(List<InetSocketAddress> usable, List<String> refused) {
    private static final int PORT = 53;
    private static final String KEYWORD = "nameserver";

    public Resolvers {
        usable = List.copyOf(usable);
        refused = List.copyOf(refused);
    }

    /**
     * Reads a {@code resolv.conf}. A resolver that is this server itself would ask us what we ask it: on loopback there is, in a pod,
     * nobody else.
     *
     * @param ours addresses of the cluster's DNS
     */
    public static Resolvers of(String text, Collection<InetAddress> ours) {
        List<InetSocketAddress> usable = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        for (String line : text.lines().toList()) {
            String[] words = line.strip().split("\\s+", 3);
            if (words.length < 2 || !words[0].equals(KEYWORD)) {
                continue;
            }
            // A scope, as in fe80::1%eth0, is a matter of the node's interfaces, which a pod has not.
            Optional<InetAddress> address = Cidr.address(words[1]);
            if (address.isEmpty()) {
                refused.add(words[1] + " is no address that a pod can reach");
            } else if (address.get().isLoopbackAddress() || address.get().isAnyLocalAddress()) {
                refused.add(
                        words[1] + " is on loopback, where a pod has no resolver: name the node's real ones in the file"
                                + " of the kubelet's resolvConf (of systemd-resolved it is /run/systemd/resolve/resolv.conf)");
            } else if (ours.contains(address.get())) {
                refused.add(
                        words[1] + " is the cluster's DNS itself, which would ask itself for ever: name the node's real"
                                + " resolvers in the file of the kubelet's resolvConf");
            } else {
                usable.add(new InetSocketAddress(address.get(), PORT));
            }
        }
        return new Resolvers(usable, refused);
    }
}
