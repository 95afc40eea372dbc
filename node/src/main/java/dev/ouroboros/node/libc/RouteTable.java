package dev.ouroboros.node.libc;

import dev.ouroboros.model.net.GatewayRoute;
import dev.ouroboros.model.net.IpRoute;
import java.util.List;
import java.util.Optional;

/** The routes of a machine. */
public interface RouteTable {
    /** All routes, of both families. */
    List<IpRoute> list() throws SystemCallFailed;

    /**
     * Routes with a gateway, without the default routes; the text does not tell who made a route. They are read from procfs, so that no class for
     * system calls has to be loaded.
     *
     * @return empty when the kernel's text has another form than expected
     */
    Optional<List<GatewayRoute>> gateways();

    /** What became of a route that was to be added. */
    enum Added {
        ADDED,
        /** There is a route to the same addresses, which stays. */
        TAKEN,
        /** The gateway is on none of this machine's networks. */
        NOT_A_NEIGHBOUR
    }

    /**
     * Adds a route, if there is none to the same addresses.
     *
     * @throws SystemCallFailed when the kernel refuses for another reason, for example because the process lacks CAP_NET_ADMIN
     */
    Added add(IpRoute route) throws SystemCallFailed;

    /** Removes a route, if it is there. */
    void remove(IpRoute route) throws SystemCallFailed;
}
