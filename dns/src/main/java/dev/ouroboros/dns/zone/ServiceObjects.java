package dev.ouroboros.dns.zone;

import dev.ouroboros.dns.zone.EndpointSlice.Endpoint;
import dev.ouroboros.dns.zone.Service.Addressing;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.net.Cidr;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads Services and EndpointSlices, both as {@code v1beta1} and as {@code v1} has them. What makes no sense makes no record. */
public final class ServiceObjects {
    private static final String SERVICE_LABEL = "kubernetes.io/service-name";
    private static final String NO_ADDRESS = "None";
    private static final String DEFAULT_PROTOCOL = "TCP";

    private ServiceObjects() {}

    public static Service service(Json object) {
        Json spec = object.at("spec");
        return new Service(key(object, text(object.at("metadata"), "name")), addressing(spec), ports(spec.at("ports")));
    }

    private static Addressing addressing(Json spec) {
        if (text(spec, "type").equals("ExternalName")) {
            return new Addressing.External(text(spec, "externalName"));
        }
        List<Json> several = spec.at("clusterIPs").items();
        List<Json> written = several.isEmpty() ? List.of(spec.at("clusterIP")) : several;
        List<InetAddress> addresses = new ArrayList<>();
        for (Json address : written) {
            if (address.text().equals(Optional.of(NO_ADDRESS))) {
                return new Addressing.Headless();
            }
            address.text().flatMap(Cidr::address).ifPresent(addresses::add);
        }
        return new Addressing.ClusterIps(addresses);
    }

    /** Of which Service it is, its controller says in a label. */
    public static EndpointSlice slice(Json object) {
        List<Endpoint> endpoints = new ArrayList<>();
        for (Json endpoint : object.at("endpoints").items()) {
            // Unknown is ready, says the API; and a Service that publishes what is not ready has it marked as ready.
            Json ready = endpoint.at("conditions", "ready");
            if (ready.isNull() || ready.isTrue()) {
                String hostname = text(endpoint, "hostname").toLowerCase(Locale.ROOT);
                endpoint.at("addresses").items().stream()
                        .flatMap(address -> address.text().flatMap(Cidr::address).stream())
                        .forEach(address -> endpoints.add(new Endpoint(address, hostname)));
            }
        }
        String service = text(object.at("metadata", "labels"), SERVICE_LABEL);
        return new EndpointSlice(key(object, service), endpoints, ports(object.at("ports")));
    }

    private static ObjectKey key(Json object, String name) {
        return new ObjectKey(text(object.at("metadata"), "namespace"), name);
    }

    private static List<Port> ports(Json list) {
        List<Port> ports = new ArrayList<>();
        for (Json port : list.items()) {
            String protocol = port.at("protocol").text().orElse(DEFAULT_PROTOCOL);
            port.at("port")
                    .integer()
                    .ifPresent(number -> ports.add(new Port(
                            text(port, "name").toLowerCase(Locale.ROOT), protocol.toLowerCase(Locale.ROOT), (int)
                                    number)));
        }
        return ports;
    }

    private static String text(Json object, String field) {
        return object.at(field).text().orElse("");
    }
}
