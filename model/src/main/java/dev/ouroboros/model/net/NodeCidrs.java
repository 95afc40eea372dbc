package dev.ouroboros.model.net;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * How pod addresses are given to nodes: each gets a block of every cluster CIDR, as the controller manager's range allocator does
 * it (kube-controller-manager, {@code --cluster-cidr} and {@code --node-cidr-mask-size}).
 *
 * @param ranges the blocks to divide; empty when nodes get none
 */
public record NodeCidrs(List<Range> ranges) {
    /** Defaults of {@code --node-cidr-mask-size-ipv4} and {@code -ipv6}. */
    private static final int DEFAULT_IPV4_PREFIX = 24;

    private static final int DEFAULT_IPV6_PREFIX = 64;

    /** One more is asked for than nodes there can be in a cluster: then the range is used up. */
    private static final int MOST_NODES = 65_536;

    public record Range(Cidr cluster, int nodePrefix) {
        public Range {
            if (nodePrefix < cluster.prefix()) {
                throw new IllegalArgumentException("nodes cannot get a /" + nodePrefix + " of " + cluster);
            }
        }
    }

    public NodeCidrs {
        ranges = List.copyOf(ranges);
    }

    public static NodeCidrs none() {
        return new NodeCidrs(List.of());
    }

    /**
     * As the controller manager's flags say it.
     *
     * @param clusterCidrs value of {@code --cluster-cidr}
     * @param maskSize value of {@code --node-cidr-mask-size}, for clusters of one family
     * @param maskSizeIpv4 value of {@code --node-cidr-mask-size-ipv4}
     * @param maskSizeIpv6 value of {@code --node-cidr-mask-size-ipv6}
     * @throws IllegalArgumentException with a message for people
     */
    public static NodeCidrs parse(
            String clusterCidrs,
            Optional<Integer> maskSize,
            Optional<Integer> maskSizeIpv4,
            Optional<Integer> maskSizeIpv6) {
        List<Range> ranges = new ArrayList<>();
        for (String text : clusterCidrs.split(",", -1)) {
            Cidr cluster = Cidr.parse(text.strip());
            boolean ipv6 = cluster.network().getAddress().length > 4;
            Optional<Integer> ofFamily = ipv6 ? maskSizeIpv6 : maskSizeIpv4;
            ranges.add(new Range(
                    cluster, ofFamily.or(() -> maskSize).orElse(ipv6 ? DEFAULT_IPV6_PREFIX : DEFAULT_IPV4_PREFIX)));
        }
        return new NodeCidrs(ranges);
    }

    /**
     * The blocks for one more node: of each range the first that no node has.
     *
     * @param taken what nodes have already
     * @return empty when a range is used up
     */
    public Optional<List<Cidr>> next(Collection<Cidr> taken) {
        List<Cidr> blocks = new ArrayList<>();
        for (Range range : ranges) {
            Optional<Cidr> free = firstFree(range, taken);
            if (free.isEmpty()) {
                return Optional.empty();
            }
            blocks.add(free.get());
        }
        return Optional.of(blocks);
    }

    private static Optional<Cidr> firstFree(Range range, Collection<Cidr> taken) {
        int subnetBits = Math.min(range.nodePrefix() - range.cluster().prefix(), 16);
        int hostBits = range.cluster().network().getAddress().length * 8 - range.nodePrefix();
        for (int i = 0; i < Math.min(1 << subnetBits, MOST_NODES); i++) {
            Cidr candidate = new Cidr(range.cluster().at(i, hostBits), range.nodePrefix());
            if (taken.stream().noneMatch(candidate::overlaps)) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }
}
