package dev.ouroboros.model.net;

import java.net.InetAddress;
import java.util.Optional;

/**
 * How a machine gets to a block of addresses.
 *
 * @param gateway whom it gives the packets; empty where they are on a network of its own
 * @param protocol who made it, 0 to 255: {@code rtm_protocol} of linux/rtnetlink.h
 */
public record IpRoute(Cidr destination, Optional<InetAddress> gateway, int protocol) {
    /** The protocol of routes to the pods of other nodes: a number that no program of rtnetlink(7) or of /etc/iproute2/rt_protos has. */
    public static final int OF_PODS = 79;

    @Override
    public String toString() {
        return destination
                + gateway.map(neighbour -> " via " + neighbour.getHostAddress()).orElse("");
    }
}
