package dev.ouroboros.dns.zone;

import dev.ouroboros.dns.zone.EndpointSlice.Endpoint;
import dev.ouroboros.dns.zone.Service.Addressing;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The cluster's Services with their endpoints at one moment, found by name and by address. */
public final class ClusterView {
    private final Map<ObjectKey, Service> services = new HashMap<>();
    private final Map<ObjectKey, List<EndpointSlice>> slices = new HashMap<>();
    private final Set<String> namespaces = new HashSet<>();
    private final Map<InetAddress, Set<HostName>> names = new HashMap<>();

    /**
     * What an address is called.
     *
     * @param label of an endpoint; empty for the Service itself
     */
    public record HostName(ObjectKey service, String label) implements Comparable<HostName> {
        @Override
        public int compareTo(HostName other) {
            int byService = service.compareTo(other.service);
            return byService != 0 ? byService : label.compareTo(other.label);
        }
    }

    public ClusterView(Collection<Service> services, Collection<EndpointSlice> slices) {
        services.forEach(service -> this.services.put(service.key(), service));
        services.forEach(service -> namespaces.add(service.key().namespace()));
        for (EndpointSlice slice : slices) {
            this.slices
                    .computeIfAbsent(slice.service(), _ -> new ArrayList<>(1))
                    .add(slice);
        }
        services.forEach(this::nameAddresses);
    }

    private void nameAddresses(Service service) {
        switch (service.addressing()) {
            case Addressing.ClusterIps(List<InetAddress> addresses) ->
                addresses.forEach(address -> name(address, new HostName(service.key(), "")));
            case Addressing.Headless() -> {
                for (EndpointSlice slice : slices(service.key())) {
                    for (Endpoint endpoint : slice.endpoints()) {
                        name(endpoint.address(), new HostName(service.key(), endpoint.label()));
                    }
                }
            }
            case Addressing.External _ -> {}
        }
    }

    private void name(InetAddress address, HostName name) {
        names.computeIfAbsent(address, _ -> new TreeSet<>()).add(name);
    }

    Optional<Service> service(ObjectKey key) {
        return Optional.ofNullable(services.get(key));
    }

    List<EndpointSlice> slices(ObjectKey service) {
        return slices.getOrDefault(service, List.of());
    }

    /** Whether a Service is in it. */
    boolean hasNamespace(String namespace) {
        return namespaces.contains(namespace);
    }

    Set<HostName> names(InetAddress address) {
        return names.getOrDefault(address, Set.of());
    }

    /** How many Services, for people. */
    public int size() {
        return services.size();
    }
}
