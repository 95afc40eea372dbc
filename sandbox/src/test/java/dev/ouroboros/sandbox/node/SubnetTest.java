package dev.ouroboros.sandbox.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.net.Cidr;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class SubnetTest {
    @Test
    void theFirstIsTakenWhenNothingIsUsed() {
        assertThat(Subnet.firstFree(List.of(Cidr.parse("192.0.2.0/24")))).contains(new Subnet(0));
    }

    @Test
    void passesOverEveryNetworkThatSharesAnAddress() {
        List<Cidr> used = List.of(
                Cidr.parse("10.77.0.0/24"),
                Cidr.parse("10.77.1.7/32"),
                Cidr.parse("10.77.2.0/23"),
                Cidr.parse("10.77.5.0/24"));

        assertThat(Subnet.firstFree(used)).contains(new Subnet(4));
    }

    @Test
    void thereIsNoneInsideOfAUsedNetwork() {
        List<Cidr> all =
                IntStream.range(0, 256).mapToObj(n -> new Subnet(n).network()).toList();

        assertThat(Subnet.firstFree(List.of(Cidr.parse("10.0.0.0/8")))).isEmpty();
        assertThat(Subnet.firstFree(all)).isEmpty();
    }

    @Test
    void isFoundByTheAddressOfItsNode() {
        assertThat(Subnet.ofNode("10.77.12.2")).contains(new Subnet(12));
        assertThat(Subnet.ofNode("10.77.12.3")).isEmpty();
        assertThat(Subnet.ofNode("api.example.com")).isEmpty();
    }

    @Test
    void hostAndNodeHaveAddressesOfIt() {
        Subnet subnet = new Subnet(12);

        assertThat(subnet.hostAddress()).isEqualTo("10.77.12.1");
        assertThat(subnet.nodeAddress()).isEqualTo("10.77.12.2");
    }
}
