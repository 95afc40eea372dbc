package dev.ouroboros.model.endpoints;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.model.json.Json;
import java.net.InetAddress;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What Endpoints and EndpointSlice of the {@code kubernetes} Service are to hold. API servers write both themselves unless they run
 * with {@code --endpoint-reconciler-type=none}, as ours do: a reconciler takes an address out when its server stops, although another one
 * stands behind the same address.
 *
 * @param addresses of the control-plane nodes, all IPv4 or all IPv6
 * @param port of the front, on each of them
 */
public record ServiceEndpoints(NavigableSet<String> addresses, int port) {
    /** Namespace of the Service and of both objects. */
    public static final String NAMESPACE = "default";
    /** Name of the Service and of both objects. */
    public static final String NAME = "kubernetes";

    private static final String PORT_NAME = "https";

    public ServiceEndpoints {
        addresses = Collections.unmodifiableNavigableSet(
                addresses.stream().map(ServiceEndpoints::written).collect(Collectors.toCollection(TreeSet::new)));
    }

    /** Those of a node that knows of no other. */
    public static ServiceEndpoints of(String address, int port) {
        return new ServiceEndpoints(new TreeSet<>(Set.of(address)), port);
    }

    /**
     * These, and of the addresses that are there those of other members. So several nodes may write the same object: each adds itself, and
     * none takes another out that belongs there. A node that is known to be no member any more takes itself out, unless nobody else is there.
     *
     * <p>Who has not served yet is not added: membership begins with a server, and goes on while that is away for a while. Where nobody who belongs there
     * has served yet, who is there stays. Where nobody is there at all, as after somebody has deleted the Endpoints, it is left to another member to begin.
     *
     * @param present {@code subsets} of the Endpoints as they are
     * @param members the addresses of all control-plane nodes; while it is unknown whom an address belongs to, it stays
     * @param serves whether this node's server may be led to; asked only when it is not there yet
     * @return empty when another member is to write them first
     */
    public Optional<ServiceEndpoints> keeping(Json present, Evidence<Set<String>> members, BooleanSupplier serves) {
        Evidence<Set<String>> known =
                members.map(all -> all.stream().map(ServiceEndpoints::written).collect(Collectors.toSet()));
        NavigableSet<String> there = addressesIn(present).stream()
                .filter(this::isOfSameFamily)
                .collect(Collectors.toCollection(TreeSet::new));
        NavigableSet<String> kept = new TreeSet<>(there);
        kept.removeAll(addresses);
        kept.removeIf(address -> known.is(all -> !all.contains(address)));
        boolean leaves = known.is(all -> Collections.disjoint(all, addresses));
        boolean hasBegun = there.containsAll(addresses) || serves.getAsBoolean();
        if (hasBegun && (!leaves || kept.isEmpty())) {
            kept.addAll(addresses);
        }
        if (kept.isEmpty()) {
            boolean isOnlyMember =
                    known.is(all -> all.stream().filter(this::isOfSameFamily).allMatch(addresses::contains));
            kept.addAll(!there.isEmpty() ? there : isOnlyMember ? addresses : Set.of());
        }
        return kept.isEmpty() ? Optional.empty() : Optional.of(new ServiceEndpoints(kept, port));
    }

    /** Whether these are there, and no others. */
    public boolean isAloneIn(Json present) {
        return addressesIn(present).equals(addresses);
    }

    private boolean isOfSameFamily(String address) {
        return isIpv6(address) == isIpv6(addresses.first());
    }

    private static boolean isIpv6(String address) {
        return address.contains(":");
    }

    private static Set<String> addressesIn(Json subsets) {
        return subsets.items().stream()
                .flatMap(subset -> subset.at("addresses").items().stream())
                .flatMap(address -> address.at("ip").text().stream())
                .map(ServiceEndpoints::written)
                .collect(Collectors.toSet());
    }

    /** Where the {@code subsets} of Endpoints lead; what is no address there is left out. */
    public static NavigableSet<ServerAddress> serversIn(Json subsets) {
        NavigableSet<ServerAddress> servers = new TreeSet<>();
        for (Json subset : subsets.items()) {
            for (Json port : subset.at("ports").items()) {
                addressesIn(Json.items(Stream.of(subset)))
                        .forEach(address -> ServerAddress.parse(
                                        address, port.at("port").integer().orElse(0))
                                .ifPresent(servers::add));
            }
        }
        return servers;
    }

    /** One text for each address: of IPv6 there are several. What is no address stays as it is. */
    public static String written(String address) {
        try {
            return InetAddress.ofLiteral(address).getHostAddress();
        } catch (IllegalArgumentException e) {
            return address;
        }
    }

    /** Whether the {@code subsets} of Endpoints have these addresses and this port, and nothing else. */
    public boolean areIn(Json subsets) {
        List<Json> all = subsets.items();
        return all.size() == 1
                && addressesIn(subsets).equals(addresses)
                && all.getFirst().at("addresses").items().size() == addresses.size()
                && all.getFirst().at("notReadyAddresses").items().isEmpty()
                && hasThePort(all.getFirst());
    }

    /** Whether an EndpointSlice has these addresses, each ready, and this port, and nothing else. */
    public boolean areInSlice(Json slice) {
        List<Json> endpoints = slice.at("endpoints").items();
        Set<String> ready = endpoints.stream()
                .filter(endpoint -> endpoint.at("conditions", "ready").isTrue())
                .flatMap(endpoint -> endpoint.at("addresses").items().stream())
                .flatMap(address -> address.text().stream())
                .map(ServiceEndpoints::written)
                .collect(Collectors.toSet());
        return endpoints.size() == addresses.size() && ready.equals(addresses) && hasThePort(slice);
    }

    private boolean hasThePort(Json object) {
        List<Json> ports = object.at("ports").items();
        return ports.size() == 1
                && ports.getFirst().at("port").integer().orElse(0) == port
                && ports.getFirst().at("name").text().equals(Optional.of(PORT_NAME));
    }

    /** The Endpoints, to be applied. */
    public Json.Fields endpoints() {
        Json.Fields subset = Json.object()
                .with(
                        "addresses",
                        Json.items(
                                addresses.stream().map(address -> Json.object().with("ip", Json.text(address)))))
                .with("ports", ports());
        return Json.object()
                .with("apiVersion", Json.text("v1"))
                .with("kind", Json.text("Endpoints"))
                // As the API server's own reconciler does: the controller manager must not mirror it into a second
                // slice.
                .with("metadata", metadata("endpointslice.kubernetes.io/skip-mirror", "true"))
                .with("subsets", Json.items(Stream.of(subset)));
    }

    /**
     * The EndpointSlice, to be applied. Conformance of 1.20 to 1.22 wants one, with this name, that has as many addresses as the Endpoints.
     *
     * @param groupVersion as in {@code discovery.k8s.io/v1}
     */
    public Json.Fields slice(String groupVersion) {
        return Json.object()
                .with("apiVersion", Json.text(groupVersion))
                .with("kind", Json.text("EndpointSlice"))
                .with("metadata", metadata("kubernetes.io/service-name", NAME))
                .with("addressType", Json.text(isIpv6(addresses.first()) ? "IPv6" : "IPv4"))
                .with("endpoints", Json.items(addresses.stream().map(ServiceEndpoints::endpoint)))
                .with("ports", ports());
    }

    private static Json.Fields endpoint(String address) {
        return Json.object()
                .with("addresses", Json.texts(List.of(address)))
                .with("conditions", Json.object().with("ready", Json.bool(true)));
    }

    private static Json.Fields metadata(String label, String value) {
        return Json.object()
                .with("name", Json.text(NAME))
                .with("namespace", Json.text(NAMESPACE))
                .with("labels", Json.object().with(label, Json.text(value)));
    }

    private Json ports() {
        return Json.items(Stream.of(Json.object()
                .with("name", Json.text(PORT_NAME))
                .with("port", Json.number(port))
                .with("protocol", Json.text("TCP"))));
    }
}
