package dev.ouroboros.model.front;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Comparator;
import java.util.Optional;

/**
 * Where a control-plane node takes connections for its API server, or a Service does.
 *
 * @param address of the node, or the Service's
 * @param port there
 */
public record ServerAddress(InetAddress address, int port) implements Comparable<ServerAddress> {
    private static final Comparator<ServerAddress> ORDER = Comparator.<ServerAddress, String>comparing(
                    server -> server.address().getHostAddress())
            .thenComparingInt(ServerAddress::port);

    public ServerAddress {
        Addresses.requireUnicast(address, "a server's address");
        Addresses.requirePort(port, "a server's port");
    }

    /** Empty when this is no literal of a unicast address, or no port. */
    public static Optional<ServerAddress> parse(String address, long port) {
        try {
            return Optional.of(new ServerAddress(InetAddress.ofLiteral(address), Math.toIntExact(port)));
        } catch (IllegalArgumentException | ArithmeticException e) {
            return Optional.empty();
        }
    }

    boolean isIpv6() {
        return address instanceof Inet6Address;
    }

    /** As a concatenation of nftables. */
    String concatenated() {
        return address.getHostAddress() + " . " + port;
    }

    @Override
    public int compareTo(ServerAddress other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return (isIpv6() ? "[" + address.getHostAddress() + "]" : address.getHostAddress()) + ":" + port;
    }
}
