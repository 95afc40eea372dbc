package dev.ouroboros.dns.zone;

import java.net.InetAddress;
import java.util.List;

/** Some of a Service's endpoints, which share their ports. */
public record EndpointSlice(ObjectKey service, List<Endpoint> endpoints, List<Port> ports) {
    public EndpointSlice {
        endpoints = List.copyOf(endpoints);
        ports = List.copyOf(ports);
    }

    /**
     * One that is ready: others make no record.
     *
     * @param hostname empty for one without
     */
    public record Endpoint(InetAddress address, String hostname) {
        /** The first label of its own name: what its pod says, or one that the address makes, as CoreDNS makes it. */
        String label() {
            return hostname.isEmpty()
                    ? address.getHostAddress().replace('.', '-').replace(':', '-')
                    : hostname;
        }
    }
}
