package dev.ouroboros.model.front;

import dev.ouroboros.model.json.Json;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Understands what {@code nft -j list table} prints of the front's table; whatever it does not understand is unknown. */
public final class FrontListing {
    private static final int LARGEST_PORT = 65535;

    private final FrontTable table;

    public FrontListing(FrontTable table) {
        this.table = table;
    }

    /** The state of the front by {@code nft -j list table} of our table. */
    public FrontState read(String listing) {
        try {
            return understand(NftListing.parse(listing));
        } catch (IllegalArgumentException e) {
            return new FrontState.Unknown("nft printed something else than a table: " + e.getMessage());
        }
    }

    private FrontState understand(NftListing listing) {
        if (!listing.hasChain(FrontRules.MARKER_CHAIN)) {
            return new FrontState.Foreign("table " + FrontTable.FAMILY + " " + FrontTable.NAME + " has no chain "
                    + FrontRules.MARKER_CHAIN + ", so another tool made it");
        }
        for (String chain : FrontTable.chains()) {
            if (!listing.comments(chain).equals(table.comments(chain))) {
                return new FrontState.Damaged("the rules of chain " + chain + " are not those of this front");
            }
        }
        List<Json> elements = listing.of("map")
                .flatMap(map -> map.at("elem").items().stream())
                .toList();
        if (!elements.stream().allMatch(FrontListing::isLease)) {
            return new FrontState.Damaged("the maps hold an element that never expires");
        }
        List<Json> cut = listing.of("set")
                .filter(set -> NftListing.text(set, "name").equals(FrontRules.PRINCIPAL_CUT))
                .flatMap(set -> set.at("elem").items().stream())
                .toList();
        if (!cut.stream().allMatch(one -> one.at("elem", "timeout").integer().isPresent())) {
            return new FrontState.Damaged("the principal is cut off for ever");
        }
        return target(
                elements.stream().map(FrontListing::lease).toList(),
                cut.stream().map(FrontListing::remaining).findFirst());
    }

    private FrontState target(List<Lease> leases, Optional<Duration> cutOff) {
        if (leases.isEmpty()) {
            return new FrontState.ToPrincipal(cutOff);
        }
        List<Mapping> found = leases.stream().map(Lease::mapping).toList();
        List<Mapping> expected = mappings(table.spec());
        if (found.size() != expected.size() || !found.containsAll(expected)) {
            return new FrontState.Damaged("the maps hold " + found + " instead of " + expected);
        }
        Optional<Duration> shortest = leases.stream().map(Lease::remaining).min(Duration::compareTo);
        return new FrontState.ToUnderstudy(shortest.orElseThrow(), cutOff);
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
    private static boolean isLease(Json element) {
        return at(element, 0).at("elem", "timeout").integer().isPresent();
    }

    private static Lease lease(Json element) {
        Json value = at(element, 1);
        Duration remaining = remaining(at(element, 0));
        Json key = at(element, 0).at("elem", "val");
        if (key.integer().isPresent() && value.integer().isPresent()) {
            return new Lease(new PortMapping(port(key), port(value)), remaining);
        }
        Json from = key.at("concat");
        Json to = value.at("concat");
        return new Lease(
                new ServiceMapping(
                        new ServiceAddress(address(at(from, 0)), port(at(from, 1))),
                        address(at(to, 0)),
                        port(at(to, 1))),
                remaining);
    }

    private static Duration remaining(Json lease) {
        return Duration.ofSeconds(lease.at("elem", "expires").integer().orElse(0));
    }

    private static Json at(Json array, int index) {
        List<Json> items = array.items();
        return index < items.size() ? items.get(index) : Json.absent();
    }

    private static InetAddress address(Json literal) {
        return InetAddress.ofLiteral(literal.text().orElse(""));
    }

    private static int port(Json port) {
        OptionalLong number = port.integer();
        if (number.isEmpty() || number.getAsLong() < 0 || number.getAsLong() > LARGEST_PORT) {
            throw new IllegalArgumentException("not a port: " + port);
        }
        return (int) number.getAsLong();
    }

    /** An element of one of our maps, without its timeout. */
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
