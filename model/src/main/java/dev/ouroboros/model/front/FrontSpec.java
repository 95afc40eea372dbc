package dev.ouroboros.model.front;

import dev.ouroboros.model.component.Component;
import java.net.InetAddress;
import java.util.List;

/**
 * What the front of one node leads to.
 *
 * @param principalPort the front port: clients dial it, the principal listens on it
 * @param understudyPort where the understudy listens
 * @param nodeAddresses addresses of the node at which clients reach its servers; the first of a family is the backend of
 *     the services of that family
 * @param services Service addresses that lead to this node's API server; each needs a node address of its family
 */
public record FrontSpec(
        int principalPort, int understudyPort, List<InetAddress> nodeAddresses, List<ServiceAddress> services) {
    public FrontSpec {
        nodeAddresses = List.copyOf(nodeAddresses);
        services = List.copyOf(services);
        Addresses.requirePort(principalPort, "the principal's port");
        Addresses.requirePort(understudyPort, "the understudy's port");
        if (principalPort == understudyPort) {
            throw new IllegalArgumentException("principal and understudy cannot share port " + principalPort);
        }
        if (nodeAddresses.isEmpty()) {
            throw new IllegalArgumentException("a front needs an address of its node");
        }
        nodeAddresses.forEach(address -> Addresses.requireUnicast(address, "a node address"));
        if (services.stream().distinct().count() != services.size()) {
            throw new IllegalArgumentException("a service address is listed twice: " + services);
        }
        for (ServiceAddress service : services) {
            backend(nodeAddresses, service);
        }
    }

    /** A front on the usual ports. */
    public static FrontSpec of(List<InetAddress> nodeAddresses, List<ServiceAddress> services) {
        return new FrontSpec(
                Component.API_SERVER.port(), Component.API_SERVER.understudyPort(), nodeAddresses, services);
    }

    public int portOf(Server server) {
        return switch (server) {
            case PRINCIPAL -> principalPort;
            case UNDERSTUDY -> understudyPort;
        };
    }

    /** The address of the node that is the backend of a service. */
    public InetAddress backend(ServiceAddress service) {
        return backend(nodeAddresses, service);
    }

    private static InetAddress backend(List<InetAddress> nodeAddresses, ServiceAddress service) {
        return nodeAddresses.stream()
                .filter(address -> Addresses.sameFamily(address, service.clusterIp()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the service address "
                        + service.clusterIp().getHostAddress() + " needs a node address of the same family"));
    }
}
