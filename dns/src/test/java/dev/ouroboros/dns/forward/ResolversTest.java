package dev.ouroboros.dns.forward;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ResolversTest {
    private static final List<InetAddress> OURS = List.of(InetAddress.ofLiteral("10.3.0.10"));

    @Test
    void theNodesResolversAreAskedInTheirOrder() {
        assertThat(Resolvers.of(
                                "# of the node\nsearch example.com\nnameserver 192.0.2.53\nnameserver\t2001:db8::53 \n",
                                OURS)
                        .usable())
                .extracting(InetSocketAddress::getAddress)
                .containsExactly(InetAddress.ofLiteral("192.0.2.53"), InetAddress.ofLiteral("2001:db8::53"));
    }

    @Test
    void whoeverWouldAskUsIsNotAsked() {
        Resolvers found = Resolvers.of(
                "nameserver 127.0.0.53\nnameserver ::1\nnameserver 0.0.0.0\nnameserver 10.3.0.10\nnameserver fe80::1%eth0\n",
                OURS);

        assertThat(found.usable()).isEmpty();
        assertThat(found.refused()).hasSize(5);
        assertThat(found.refused().get(0)).contains("127.0.0.53", "/run/systemd/resolve/resolv.conf");
        assertThat(found.refused().get(3)).contains("10.3.0.10", "the cluster's DNS itself");
    }

    @Test
    void aFileWithoutResolversHasNone() {
        assertThat(Resolvers.of("nameserver\nsearch a b\n;nameserver 192.0.2.1\n", OURS)
                        .usable())
                .isEmpty();
    }
}
