package dev.ouroboros.model.front;

import java.net.InetAddress;

/**
 * The address of a Service, for example of {@code kubernetes} in {@code default}.
 *
 * @param clusterIp its virtual address
 * @param port its port
 */
public record ServiceAddress(InetAddress clusterIp, int port) {
    /** The port of the {@code kubernetes} Service; the API server gives no choice. */
    public static final int KUBERNETES_PORT = 443;

    public ServiceAddress {
        Addresses.requireUnicast(clusterIp, "the cluster IP");
        Addresses.requirePort(port, "the service port");
    }

    /** Where its clients dial. */
    public ServerAddress server() {
        return new ServerAddress(clusterIp, port);
    }

    public static ServiceAddress ofKubernetes(InetAddress clusterIp) {
        return new ServiceAddress(clusterIp, KUBERNETES_PORT);
    }
}
