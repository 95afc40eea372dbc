package dev.ouroboros.node.libc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.net.GatewayRoute;
import dev.ouroboros.model.net.IpRoute;
import dev.ouroboros.node.libc.RouteTable.Added;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** In a network namespace of its own, which a thread moves into. Needs root. */
@Tag("e2e")
final class KernelRoutesTest {
    private static final int OURS = 79;

    private static IpRoute route(String destination, String gateway) {
        return new IpRoute(Cidr.parse(destination), Optional.of(InetAddress.ofLiteral(gateway)), OURS);
    }

    private interface Work {
        void run() throws Exception;
    }

    private static void inANamespace(Work work) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            try {
                new Libc().leaveForNew();
                ip("link set lo up");
                ip("link add eth0 type veth peer name cable");
                ip("link set eth0 up");
                ip("link set cable up");
                ip("address add 192.0.2.1/24 dev eth0");
                ip("address add 2001:db8::1/64 dev eth0 nodad");
                work.run();
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        thread.join();
        done.get();
    }

    private static String ip(String words) {
        return new LocalProcesses()
                .run(Command.of("nsenter", "--net=" + new Libc().ownNamespace(), "sh", "-c", "ip " + words))
                .orThrow();
    }

    @Test
    void routesAreListedAddedAndRemoved() throws Exception {
        inANamespace(() -> {
            KernelRoutes routes = new KernelRoutes();
            ip("route add 10.2.9.0/24 via 192.0.2.9 proto static");
            ip("route add blackhole 10.2.8.0/24");

            assertThat(routes.add(route("10.2.1.0/24", "192.0.2.2"))).isEqualTo(Added.ADDED);
            assertThat(routes.add(route("fd00:2:1::/64", "2001:db8::2"))).isEqualTo(Added.ADDED);
            assertThat(ip("route show proto " + OURS))
                    .isEqualToIgnoringWhitespace("10.2.1.0/24 via 192.0.2.2 dev eth0");
            assertThat(ip("-6 route show proto " + OURS)).contains("fd00:2:1::/64 via 2001:db8::2 dev eth0");
            assertThat(routes.list())
                    .contains(
                            route("10.2.1.0/24", "192.0.2.2"),
                            route("fd00:2:1::/64", "2001:db8::2"),
                            new IpRoute(Cidr.parse("10.2.9.0/24"), Optional.of(InetAddress.ofLiteral("192.0.2.9")), 4))
                    .anySatisfy(route -> assertThat(route.destination()).isEqualTo(Cidr.parse("10.2.8.0/24")))
                    .anySatisfy(route -> assertThat(route.destination()).isEqualTo(Cidr.parse("192.0.2.0/24")));
            ip("route add default via 192.0.2.7");
            ip("-6 route add default via 2001:db8::7");
            assertThat(routes.gateways().orElseThrow())
                    .containsExactlyInAnyOrder(
                            new GatewayRoute(Cidr.parse("10.2.1.0/24"), InetAddress.ofLiteral("192.0.2.2")),
                            new GatewayRoute(Cidr.parse("10.2.9.0/24"), InetAddress.ofLiteral("192.0.2.9")),
                            new GatewayRoute(Cidr.parse("fd00:2:1::/64"), InetAddress.ofLiteral("2001:db8::2")));

            routes.remove(route("10.2.1.0/24", "192.0.2.2"));
            routes.remove(route("10.2.1.0/24", "192.0.2.2"));
            routes.remove(route("fd00:2:1::/64", "2001:db8::2"));
            assertThat(ip("route show proto " + OURS)).isBlank();
            assertThat(ip("-6 route show proto " + OURS)).isBlank();
        });
    }

    @Test
    void whatSomebodyElseMadeStays() throws Exception {
        inANamespace(() -> {
            ip("route add 10.2.9.0/24 via 192.0.2.9 proto static");
            ip("route add blackhole 10.2.8.0/24");
            KernelRoutes routes = new KernelRoutes();

            assertThat(routes.add(route("10.2.9.0/24", "192.0.2.2"))).isEqualTo(Added.TAKEN);
            assertThat(routes.add(route("10.2.8.0/24", "192.0.2.2"))).isEqualTo(Added.TAKEN);
            assertThat(ip("route show proto " + OURS)).isBlank();
        });
    }

    @Test
    void aGatewayOnAnotherNetworkIsNotTaken() throws Exception {
        inANamespace(() -> {
            assertThat(new KernelRoutes().add(route("10.2.1.0/24", "198.51.100.1")))
                    .isEqualTo(Added.NOT_A_NEIGHBOUR);
            assertThat(new KernelRoutes().add(route("fd00:2:1::/64", "2001:db8:1::2")))
                    .isEqualTo(Added.NOT_A_NEIGHBOUR);
        });
    }
}
