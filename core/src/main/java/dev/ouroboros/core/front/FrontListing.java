package dev.ouroboros.core.front;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Understands what {@code nft -j list} prints (libnftables-json(5)); whatever it does not understand is unknown. */
public final class FrontListing {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final FrontTable table;

    public FrontListing(FrontTable table) {
        this.table = table;
    }

    /**
     * Whether {@code nft -j list tables} names our table.
     *
     * @throws IllegalArgumentException when this is not such a list
     */
    public boolean namesOurTable(String tables) {
        return objects(tables, "table")
                .anyMatch(found -> found.path("family").asText().equals(FrontTable.FAMILY)
                        && found.path("name").asText().equals(FrontTable.NAME));
    }

    /** The state of the front by {@code nft -j list table} of our table. */
    public FrontState read(String listing) {
        try {
            return understand(listing);
        } catch (IllegalArgumentException e) {
            return new FrontState.Unknown("nft printed something else than a table: " + e.getMessage());
        }
    }

    private FrontState understand(String listing) {
        List<String> chains =
                objects(listing, "chain").map(chain -> text(chain, "name")).toList();
        if (!chains.contains(FrontTable.MARKER_CHAIN)) {
            return new FrontState.Foreign("table " + FrontTable.FAMILY + " " + FrontTable.NAME + " has no chain "
                    + FrontTable.MARKER_CHAIN + ", so another tool made it");
        }
        for (String chain : FrontTable.chains()) {
            List<String> comments = objects(listing, "rule")
                    .filter(rule -> text(rule, "chain").equals(chain))
                    .map(rule -> rule.path("comment").asText())
                    .toList();
            if (!comments.equals(table.comments(chain))) {
                return new FrontState.Damaged("the rules of chain " + chain + " are not those of this front");
            }
        }
        List<JsonNode> elements = objects(listing, "map")
                .flatMap(map -> elements(map.path("elem")))
                .toList();
        if (!elements.stream().allMatch(FrontListing::isLease)) {
            return new FrontState.Damaged("the maps hold an element that never expires");
        }
        return target(elements.stream().map(FrontListing::lease).toList());
    }

    private FrontState target(List<Lease> leases) {
        if (leases.isEmpty()) {
            return new FrontState.ToPrincipal();
        }
        List<Mapping> found = leases.stream().map(Lease::mapping).toList();
        List<Mapping> expected = mappings(table.spec());
        if (found.size() != expected.size() || !found.containsAll(expected)) {
            return new FrontState.Damaged("the maps hold " + found + " instead of " + expected);
        }
        Optional<Duration> shortest = leases.stream().map(Lease::remaining).min(Duration::compareTo);
        return new FrontState.ToUnderstudy(shortest.orElseThrow());
    }

    private static List<Mapping> mappings(FrontSpec spec) {
        List<Mapping> mappings = new ArrayList<>();
        mappings.add(new PortMapping(spec.principalPort(), spec.understudyPort()));
        for (ServiceAddress service : spec.services()) {
            mappings.add(new ServiceMapping(service, spec.backend(service), spec.understudyPort()));
        }
        return mappings;
    }

    /** A lease is {@code [{"elem": {"val": key, "timeout": s, "expires": s}}, value]}, another element {@code [key, value]}. */
    private static boolean isLease(JsonNode element) {
        return element.path(0).path("elem").path("timeout").isIntegralNumber();
    }

    private static Lease lease(JsonNode element) {
        JsonNode lease = element.path(0).path("elem");
        JsonNode value = element.path(1);
        Duration remaining = Duration.ofSeconds(lease.path("expires").asLong());
        JsonNode key = lease.path("val");
        if (key.isInt() && value.isInt()) {
            return new Lease(new PortMapping(key.intValue(), value.intValue()), remaining);
        }
        JsonNode from = key.path("concat");
        JsonNode to = value.path("concat");
        return new Lease(
                new ServiceMapping(
                        new ServiceAddress(address(from.path(0)), port(from.path(1))),
                        address(to.path(0)),
                        port(to.path(1))),
                remaining);
    }

    private static InetAddress address(JsonNode literal) {
        return InetAddress.ofLiteral(literal.asText());
    }

    private static int port(JsonNode port) {
        if (!port.isInt()) {
            throw new IllegalArgumentException("not a port: " + port);
        }
        return port.intValue();
    }

    private static String text(JsonNode object, String field) {
        JsonNode value = object.path(field);
        if (!value.isTextual()) {
            throw new IllegalArgumentException("no " + field + " in " + object);
        }
        return value.textValue();
    }

    private static Stream<JsonNode> objects(String listing, String kind) {
        try {
            JsonNode all = JSON.readTree(listing).path("nftables");
            if (!all.isArray()) {
                throw new IllegalArgumentException("no list of nftables objects");
            }
            return elements(all).filter(object -> object.has(kind)).map(object -> object.get(kind));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static Stream<JsonNode> elements(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    /** An element of one of our maps, without its time. */
    private sealed interface Mapping {}

    private record PortMapping(int from, int to) implements Mapping {}

    private record ServiceMapping(ServiceAddress from, InetAddress to, int port) implements Mapping {
        @Override
        public String toString() {
            return "%s:%d to %s:%d"
                    .formatted(from.clusterIp().getHostAddress(), from.port(), to.getHostAddress(), port);
        }
    }

    private record Lease(Mapping mapping, Duration remaining) {}
}
