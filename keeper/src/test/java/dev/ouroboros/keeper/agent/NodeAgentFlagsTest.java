package dev.ouroboros.keeper.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.model.problem.ProblemException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NodeAgentFlagsTest {
    @Test
    void readsThem() {
        NodeAgentOptions options = NodeAgentFlags.parse(
                List.of("--node-name=node-2", "--service-cluster-ip=10.3.0.1,fd00::1", "--kubeconfig=/k"));

        assertThat(options.nodeName()).isEqualTo("node-2");
        assertThat(options.services())
                .containsExactlyInAnyOrder(
                        new ServerAddress(InetAddress.ofLiteral("10.3.0.1"), 443),
                        new ServerAddress(InetAddress.ofLiteral("fd00::1"), 443));
        assertThat(options.directory()).isEqualTo(Path.of("/var/lib/ouroboros/keeper"));
        assertThat(options.healthPort()).isEqualTo(26446);
    }

    @Test
    void saysAllThatIsWrong() {
        assertThatThrownBy(() -> NodeAgentFlags.parse(List.of("--health-port=x", "--patience=3s")))
                .isInstanceOfSatisfying(
                        ProblemException.class, e -> assertThat(e.problems()).hasSize(5));
    }
}
