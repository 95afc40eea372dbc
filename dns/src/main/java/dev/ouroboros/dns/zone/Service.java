package dev.ouroboros.dns.zone;

import java.net.InetAddress;
import java.util.List;

/** What of a Service makes records. */
public record Service(ObjectKey key, Addressing addressing, List<Port> ports) {
    public Service {
        ports = List.copyOf(ports);
    }

    /** Where its name leads. */
    public sealed interface Addressing {
        /** To addresses of its own: one, or one of each family; none before they are allocated. */
        record ClusterIps(List<InetAddress> addresses) implements Addressing {
            public ClusterIps {
                addresses = List.copyOf(addresses);
            }
        }

        /** To its endpoints. */
        record Headless() implements Addressing {}

        /** To another name. */
        record External(String name) implements Addressing {}
    }
}
