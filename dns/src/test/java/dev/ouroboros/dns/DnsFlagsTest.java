package dev.ouroboros.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class DnsFlagsTest {
    private static final Map<String, String> POD =
            Map.of("KUBERNETES_SERVICE_HOST", "10.3.0.1", "KUBERNETES_SERVICE_PORT", "443");
    private static final List<String> LEAST =
            List.of("--cluster-cidrs=10.2.0.0/16,10.3.0.0/24", "--cluster-dns=10.3.0.10");

    @Test
    void aPodNeedsToBeToldOnlyItsCluster() {
        DnsOptions options = DnsFlags.parse(LEAST, POD);

        assertThat(options.server()).isEqualTo(URI.create("https://10.3.0.1:443"));
        assertThat(options.domain()).isEqualTo("cluster.local");
        assertThat(options.port()).isEqualTo(1053);
        assertThat(options.ttl()).isEqualTo(5);
        assertThat(DnsFlags.parse(LEAST, Map.of("KUBERNETES_SERVICE_HOST", "fd00::1"))
                        .server())
                .isEqualTo(URI.create("https://[fd00::1]:443"));
    }

    @Test
    void everythingThatIsWrongIsSaidAtOnce() {
        assertThatThrownBy(() -> DnsFlags.parse(
                        List.of(
                                "--cluster-cidrs=10.2.0.0/16,x",
                                "--cluster-domain=Not A Name",
                                "--endpoint-slices=v1",
                                "--server=http://10.3.0.1",
                                "--port=0",
                                "--ttl=99999",
                                "--log-level=loud",
                                "--log-level=loud",
                                "--odd=1",
                                "word"),
                        Map.of()))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems())
                                .extracting(Problem::where)
                                .contains(
                                        "--cluster-cidrs",
                                        "--cluster-dns",
                                        "--cluster-domain",
                                        "--endpoint-slices",
                                        "--server",
                                        "--port",
                                        "--ttl",
                                        "--log-level",
                                        "--odd",
                                        "word"));
    }

    @Test
    void wrongFlagsEndTheProcessWithTwo() {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream err = new PrintStream(said, true, StandardCharsets.UTF_8);

        assertThat(DnsMain.run(List.of(), Map.of(), err)).isEqualTo(2);
        assertThat(said.toString(StandardCharsets.UTF_8)).contains("--cluster-cidrs", "--cluster-dns", "--server");
        assertThat(DnsMain.run(List.of("--help"), Map.of(), err)).isZero();
        assertThat(said.toString(StandardCharsets.UTF_8)).contains("Usage: dns");
    }
}
