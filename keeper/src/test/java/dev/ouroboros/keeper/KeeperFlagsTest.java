package dev.ouroboros.keeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KeeperFlagsTest {
    private static final List<String> REQUIRED = List.of(
            "--node-name=node-1",
            "--node-address=192.0.2.10",
            "--service-cluster-ip=10.3.0.1",
            "--kubeconfig=/etc/kubernetes/secrets/kubeconfig");

    private static KeeperOptions parse(String... more) {
        List<String> all = new ArrayList<>(REQUIRED);
        all.addAll(List.of(more));
        return KeeperFlags.parse(all);
    }

    @Test
    void needsLittleAndKnowsTheRest() {
        KeeperOptions options = parse();

        assertThat(options.server()).hasToString("https://192.0.2.10:6443");
        assertThat(options.front().understudyPort()).isEqualTo(26443);
        assertThat(options.healthPort()).isEqualTo(26445);
        assertThat(options.stateDirectory()).isEqualTo(Path.of("/var/lib/ouroboros"));
        assertThat(options.staticCopy()).isFalse();
    }

    @Test
    void setsEveryTime() {
        assertThat(parse("--soak=90s", "--failover=500ms", "--retire-grace=1h").settings())
                .satisfies(settings -> {
                    assertThat(settings.soak()).isEqualTo(Duration.ofSeconds(90));
                    assertThat(settings.failover()).isEqualTo(Duration.ofMillis(500));
                    assertThat(settings.retireGrace()).isEqualTo(Duration.ofHours(1));
                });
    }

    @Test
    void tellsTheStaticCopyByItsName() {
        assertThat(parse("--pod-name=ouroboros-keeper-node-1").staticCopy()).isTrue();
        assertThat(parse("--pod-name=ouroboros-keeper-abcde").staticCopy()).isFalse();
    }

    @Test
    void writesAnIpv6AddressAsUrlsHaveIt() {
        List<String> flags = List.of(
                "--node-name=n", "--node-address=2001:db8::10", "--service-cluster-ip=2001:db8:1::1", "--kubeconfig=k");
        assertThat(KeeperFlags.parse(flags).server()).hasToString("https://[2001:db8:0:0:0:0:0:10]:6443");
    }

    @Test
    void saysWhatEachFlagTakes() {
        assertRefused("--service-cluster-ip=10.3.0.2", "--service-cluster-ip=10.3.0.2", "is given twice");
        assertRefused("--bootstrap-secrets=a\0b", "--bootstrap-secrets", "is no path");
        assertRefused("--soak=0s", "--soak", "is too short");
        assertRefused("--lease=500ms", "--lease", "is too short; expected 1s at least");
        assertRefused("--log-level=loud", "--log-level", "is no level; expected debug, info, warn or error");
    }

    @Test
    void takesAddressesOnly() {
        List<String> flags =
                List.of("--node-name=n", "--node-address=1.2.3.4.5", "--service-cluster-ip=10.3.0.1", "--kubeconfig=k");
        assertThatThrownBy(() -> KeeperFlags.parse(flags))
                .hasMessageContaining("--node-address: found \"1.2.3.4.5\"; expected IP addresses, as 192.0.2.10");
        List<String> families =
                List.of("--node-name=n", "--node-address=192.0.2.10", "--service-cluster-ip=fd00::1", "--kubeconfig=k");
        assertThatThrownBy(() -> KeeperFlags.parse(families))
                .hasMessageContaining("--node-address, --service-cluster-ip");
    }

    private static void assertRefused(String flag, String where, String what) {
        Refusal.of(() -> parse(flag), ErrorCode.INVALID_FLAG)
                .where(where)
                .lineContains(what)
                .nextContains("kube-system/ouroboros-keeper");
    }

    @Test
    void saysEverythingThatIsWrongAtOnce() {
        List<String> flags =
                List.of("--node-address=master.example", "--principal-port=0", "--soak=soon", "--colour=red", "stray");
        assertThatThrownBy(() -> KeeperFlags.parse(flags))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.describe())
                                .contains("--node-name: is not set")
                                .contains("found \"master.example\"; expected IP addresses")
                                .contains("--service-cluster-ip: is not set")
                                .contains("--kubeconfig: is not set")
                                .contains("--principal-port: found \"0\"; expected 1 to 65535")
                                .contains("\"soon\" is no time")
                                .contains("--colour: is not known")
                                .contains("stray: is not understood"));
    }

    @Test
    void badFlagsAreBadUsage() {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream err = new PrintStream(said, true, StandardCharsets.UTF_8);

        assertThat(KeeperMain.run(List.of("--nothing=1"), err)).isEqualTo(2);
        assertThat(said.toString(StandardCharsets.UTF_8)).contains("error INVALID_FLAG: --node-name: is not set");
        assertThat(KeeperMain.run(List.of("--help"), err)).isZero();
    }
}
