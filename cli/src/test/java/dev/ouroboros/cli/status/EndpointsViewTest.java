package dev.ouroboros.cli.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.cli.status.EndpointsView.Format;
import dev.ouroboros.cluster.ApiServers.Seen;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.ServerAddress;
import java.net.InetAddress;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.CommandSpec;

final class EndpointsViewTest {
    private static final Health READY = new Health.Ready(Instant.EPOCH);
    private static final List<Seen> THREE = List.of(
            seen("192.0.2.1", Optional.of("m1"), Evidence.known(READY)),
            seen("192.0.2.2", Optional.of("m2"), Evidence.known(new Health.NotListening())),
            seen("2001:db8::3", Optional.empty(), Evidence.known(READY)));

    private static Seen seen(String address, Optional<String> node, Evidence<Health> health) {
        return new Seen(new ServerAddress(InetAddress.ofLiteral(address), 6443), node, health);
    }

    private static String shown(Format format) {
        return new EndpointsView(format, "api.example.org").of(CommandSpec.create(), THREE);
    }

    @Test
    void aTableHasAllOfThemAndWhatEachSays() {
        assertThat(shown(Format.TABLE).lines())
                .hasSize(4)
                .anySatisfy(line -> assertThat(line)
                        .contains("192.0.2.1:6443")
                        .contains("m1")
                        .contains("yes"))
                .anySatisfy(line -> assertThat(line)
                        .contains("192.0.2.2:6443")
                        .contains("no")
                        .contains("does not listen"));
    }

    @Test
    void aHostsFileHasThoseThatAreProven() {
        assertThat(shown(Format.HOSTS)).isEqualTo("""
                192.0.2.1 api.example.org
                2001:db8:0:0:0:0:0:3 api.example.org
                """);
    }

    @Test
    void aBackendOfHaproxyHasThoseThatAreProven() {
        assertThat(shown(Format.HAPROXY)).isEqualTo("""
                server m1 192.0.2.1:6443 check
                server 2001-db8-0-0-0-0-0-3-6443 [2001:db8:0:0:0:0:0:3]:6443 check
                """);
    }

    @Test
    void jsonHasAllOfThem() {
        assertThat(shown(Format.JSON))
                .contains("\"address\" : \"192.0.2.2\"")
                .contains("\"proven\" : false")
                .contains("\"node\" : \"m1\"");
    }

    @Test
    void tellsNamesFromAddresses() {
        assertThat(EndpointsView.isAddress("192.0.2.1")).isTrue();
        assertThat(EndpointsView.isAddress("2001:db8::3")).isTrue();
        assertThat(EndpointsView.isAddress("api.example.org")).isFalse();
    }
}
