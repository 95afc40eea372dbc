package dev.ouroboros.keeper.routes.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.net.GatewayRoute;
import dev.ouroboros.model.net.IpRoute;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class PodRoutesTest {
    private static final String SELF = "one";

    private static final List<Cidr> CLUSTER = List.of(Cidr.parse("10.2.0.0/16"), Cidr.parse("fd00:2::/32"));

    private static NodeAddresses node(String created, String address, String... blocks) {
        return new NodeAddresses(
                created,
                List.of(InetAddress.ofLiteral(address)),
                List.of(blocks).stream().map(Cidr::parse).toList());
    }

    private static IpRoute route(String destination, String gateway) {
        return new IpRoute(Cidr.parse(destination), Optional.of(InetAddress.ofLiteral(gateway)), IpRoute.OF_PODS);
    }

    private static IpRoute foreign(String destination) {
        return new IpRoute(Cidr.parse(destination), Optional.of(InetAddress.ofLiteral("10.0.0.9")), 4);
    }

    private static SortedMap<String, NodeAddresses> nodes() {
        return new TreeMap<>(Map.of(
                SELF,
                node("2026-01-02", "10.0.0.5", "10.2.0.0/24"),
                "two",
                node("2026-01-01", "10.0.0.6", "10.2.1.0/24"),
                "three",
                node("2026-01-03", "10.0.0.7")));
    }

    private static PodRoutes routes(SortedMap<String, NodeAddresses> nodes, IpRoute... there) {
        return PodRoutes.of(SELF, CLUSTER, nodes, List.of(there));
    }

    @Test
    void eachOtherNodesPodsAreBehindThatNode() {
        assertThat(routes(nodes()))
                .isEqualTo(new PodRoutes(List.of(route("10.2.1.0/24", "10.0.0.6")), List.of(), List.of()));
    }

    @Test
    void whatIsThereIsLeftAndWhatLeadsElsewhereIsReplaced() {
        assertThat(routes(nodes(), route("10.2.1.0/24", "10.0.0.6")))
                .isEqualTo(new PodRoutes(List.of(), List.of(), List.of()));
        assertThat(routes(nodes(), route("10.2.1.0/24", "10.0.0.99")))
                .isEqualTo(new PodRoutes(
                        List.of(route("10.2.1.0/24", "10.0.0.6")),
                        List.of(route("10.2.1.0/24", "10.0.0.99")),
                        List.of()));
    }

    @Test
    void thoseOfANodeThatIsNoMoreGoAndOfOthersNone() {
        IpRoute former = route("10.2.7.0/24", "10.0.0.8");

        assertThat(routes(nodes(), former, foreign("10.2.8.0/24")).remove()).containsExactly(former);
        assertThat(routes(new TreeMap<>(), former, foreign("10.2.8.0/24")).remove())
                .containsExactly(former);
    }

    @Test
    void aWayThatSomebodyElseMadeStaysAndOursBesideItGoes() {
        PodRoutes routes = routes(nodes(), foreign("10.2.1.0/24"), route("10.2.1.0/24", "10.0.0.6"));

        assertThat(routes.add()).isEmpty();
        assertThat(routes.remove()).containsExactly(route("10.2.1.0/24", "10.0.0.6"));
        assertThat(routes.troubles()).singleElement().asString().contains("somebody else made a route to 10.2.1.0/24");
    }

    @Test
    void aNodeGetsNothingThatIsNotOfThePodsOrIsAnOlderNodes() {
        SortedMap<String, NodeAddresses> nodes = nodes();
        nodes.put("aaa", node("2026-02-01", "10.0.0.8", "10.0.0.7/32"));
        nodes.put("aab", node("2026-02-01", "10.0.0.8", "10.2.1.128/25"));
        nodes.put("aac", node("2026-02-01", "10.0.0.8", "10.2.0.0/24"));
        nodes.put("aad", node("2026-02-01", "10.0.0.8", "10.0.0.0/8"));
        nodes.put("aae", node("2026-02-01", "10.0.0.8", "10.2.0.0/16"));

        PodRoutes routes = routes(nodes);

        assertThat(routes.add()).containsExactly(route("10.2.1.0/24", "10.0.0.6"));
        assertThat(routes.troubles())
                .hasSize(5)
                .anySatisfy(trouble -> assertThat(trouble).contains("aaa", "not within the cluster's block"))
                .anySatisfy(trouble -> assertThat(trouble).contains("aab", "Node two has 10.2.1.0/24"))
                .anySatisfy(trouble -> assertThat(trouble).contains("aac", "Node one has 10.2.0.0/24"));
    }

    @Test
    void aNodeSaysWhereItAndItsPodsAre() throws Exception {
        Json node = JsonText.read("""
                {"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"}, "status": {"addresses": [{"type": "Hostname", "address": "two"},
                  {"type": "InternalIP", "address": "10.0.0.6"}, {"type": "InternalIP", "address": "fd00::6"}]},
                 "spec": {"podCIDRs": ["10.2.1.0/24", "fd00:2:1::/64", "nonsense"]}}""".getBytes(StandardCharsets.UTF_8));

        NodeAddresses addresses = NodeAddresses.of(node);
        assertThat(addresses.created()).isEqualTo("2026-01-01T00:00:00Z");
        assertThat(addresses.own()).hasSize(2);
        assertThat(routes(new TreeMap<>(Map.of("two", addresses))).add())
                .containsExactly(route("10.2.1.0/24", "10.0.0.6"), route("fd00:2:1::/64", "fd00::6"));
        assertThat(NodeAddresses.of(Json.absent())).isEqualTo(NodeAddresses.NONE);
    }

    @Test
    void aNodeWithoutAnAddressOfThatFamilyIsSaid() {
        SortedMap<String, NodeAddresses> nodes = nodes();
        nodes.put("two", node("2026-01-01", "10.0.0.6", "fd00:2:1::/64"));

        assertThat(routes(nodes).troubles()).singleElement().asString().contains("no InternalIP of that family");
    }

    private static Optional<PodRoutes> settled(SortedMap<String, NodeAddresses> nodes, String... ways) {
        return PodRoutes.settled(
                SELF,
                CLUSTER,
                nodes,
                List.of(ways).stream()
                        .map(way -> way.split(" "))
                        .map(way -> new GatewayRoute(Cidr.parse(way[0]), InetAddress.ofLiteral(way[1])))
                        .toList());
    }

    @Test
    void whereExactlyWhatIsWantedLeadsToPodsNobodyAsksWhoMadeIt() {
        assertThat(settled(nodes(), "10.2.1.0/24 10.0.0.6", "192.0.2.0/24 10.0.0.1"))
                .hasValueSatisfying(routes -> {
                    assertThat(routes.add()).isEmpty();
                    assertThat(routes.remove()).isEmpty();
                });
        assertThat(settled(nodes())).as("one is missing").isEmpty();
        assertThat(settled(nodes(), "10.2.1.0/24 10.0.0.7")).as("elsewhere").isEmpty();
        assertThat(settled(nodes(), "10.2.1.0/24 10.0.0.6", "10.2.9.0/24 10.0.0.9"))
                .as("one of a node that is no more")
                .isEmpty();
        assertThat(settled(new TreeMap<>(Map.of(SELF, node("2026-01-02", "10.0.0.5", "10.2.0.0/24")))))
                .as("the only node")
                .isPresent();
    }
}
