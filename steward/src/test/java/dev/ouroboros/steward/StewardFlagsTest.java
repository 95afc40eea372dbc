package dev.ouroboros.steward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.endpoint.ClientFiles;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class StewardFlagsTest {
    private static final Map<String, String> POD =
            Map.of("KUBERNETES_SERVICE_HOST", "10.3.0.1", "KUBERNETES_SERVICE_PORT", "443");

    @Test
    void aPodNeedsToBeToldItsNodeAndItsKeys() {
        StewardOptions options = StewardFlags.parse(
                List.of(
                        "--node-name=node-1",
                        "--node-role=node-role.kubernetes.io/master",
                        "--etcd-ca-file=ca.crt",
                        "--etcd-certificate-file=client.crt",
                        "--etcd-private-key-file=client.key"),
                POD);

        assertThat(options.server()).isEqualTo(URI.create("https://10.3.0.1:443"));
        assertThat(options.state()).isEqualTo(Path.of("/var/lib/ouroboros"));
        assertThat(options.authorityKey()).isEmpty();
        assertThat(options.managesEtcd()).isTrue();
        assertThat(options.interval()).isEqualTo(Duration.ofSeconds(10));
        assertThat(options.healthPort()).isEqualTo(26447);
    }

    @Test
    void whoLeavesEtcdAloneNeedsNoKeysOfIt() {
        StewardOptions options = StewardFlags.parse(
                List.of("--node-name=node-1", "--node-role=node-role.kubernetes.io/master", "--manages-etcd=false"),
                POD);

        assertThat(options.managesEtcd()).isFalse();
        assertThat(options.etcd()).isEqualTo(ClientFiles.none());
    }

    @Test
    void everythingThatIsWrongIsSaidAtOnce() {
        assertThatThrownBy(
                        () -> StewardFlags.parse(List.of("--interval=1ms", "--odd=1", "--manages-etcd=yes"), Map.of()))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems())
                                .extracting(Problem::where)
                                .contains(
                                        "--node-name",
                                        "--node-role",
                                        "--manages-etcd",
                                        "--server",
                                        "--interval",
                                        "--odd"));
    }

    @Test
    void wrongFlagsEndTheProcessWithTwo() {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream err = new PrintStream(said, true, StandardCharsets.UTF_8);

        assertThat(StewardMain.run(List.of(), Map.of(), err)).isEqualTo(2);
        assertThat(said.toString(StandardCharsets.UTF_8)).contains("--node-name", "--etcd-ca-file");
        assertThat(StewardMain.run(List.of("--help"), Map.of(), err)).isZero();
        assertThat(said.toString(StandardCharsets.UTF_8)).contains("Usage: steward");
    }
}
