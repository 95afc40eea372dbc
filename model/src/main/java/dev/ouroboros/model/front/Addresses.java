package dev.ouroboros.model.front;

import java.net.Inet6Address;
import java.net.InetAddress;

/** What an address and a port must be to stand in the front's table. */
final class Addresses {
    private Addresses() {}

    static void requireUnicast(InetAddress address, String what) {
        boolean scoped = address instanceof Inet6Address six && (six.isLinkLocalAddress() || six.getScopeId() != 0);
        if (address.isLoopbackAddress() || address.isAnyLocalAddress() || address.isMulticastAddress() || scoped) {
            throw new IllegalArgumentException(
                    what + " must be an address that others can reach, not " + address.getHostAddress());
        }
    }

    static void requirePort(int port, String what) {
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException(what + " must be in 1-65535, not " + port);
        }
    }

    static boolean sameFamily(InetAddress one, InetAddress other) {
        return one instanceof Inet6Address == other instanceof Inet6Address;
    }
}
