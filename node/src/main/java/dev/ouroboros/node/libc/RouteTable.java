package dev.ouroboros.node.libc;

import dev.ouroboros.model.net.GatewayRoute;
import dev.ouroboros.model.net.IpRoute;
import java.util.List;
import java.util.Optional;

/** The routes of a machine. */
public interface RouteTable {
    /** All of them, of both families. */
    List<IpRoute> list() throws SystemCallFailed;

    /**
     * Those with a gateway, but the default ones, of which it is not told who made them. The kernel writes them as text: to read it takes no system call that Java has not, and so none of the
     * classes that make one.
     *
     * @return empty when the kernel's text is not what it was
     */
    Optional<List<GatewayRoute>> gateways();

    /** What became of a route that was to be added. */
    enum Added {
        ADDED,
        /** There is one to the same addresses, which stays. */
        TAKEN,
        /** Its gateway is on none of this machine's networks. */
        NOT_A_NEIGHBOUR
    }

    /**
     * Adds a route, if there is none to the same addresses.
     *
     * @throws SystemCallFailed when the kernel refuses it otherwise, as it does to a process without CAP_NET_ADMIN
     */
    Added add(IpRoute route) throws SystemCallFailed;

    /** Removes a route, if it is there. */
    void remove(IpRoute route) throws SystemCallFailed;
}
