package dev.ouroboros.sandbox.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.recovery.RecoveredCluster;
import dev.ouroboros.sandbox.SandboxName;
import dev.ouroboros.sandbox.node.Subnet;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class SnapshotFileTest {
    private final SnapshotFile file = new SnapshotFile(Path.of("saved.db"), EncryptionConfiguration.none(), Map.of());

    private static RecoveredCluster cluster(String server, List<String> nodes) {
        return new RecoveredCluster(
                List.of(),
                URI.create(server),
                List.of(),
                "10.3.0.0/24",
                Optional.of("1.20.2"),
                new TreeSet<>(List.of("a:1", "b:1")),
                nodes,
                Map.of(),
                List.of());
    }

    @Test
    void theSandboxGetsTheNetworkThatTheCertificatesAreFor() {
        assertThat(file.requireFits(cluster("https://10.77.3.2:6443", List.of("lost")), new SandboxName("lost")))
                .isEqualTo(new Subnet(3));
    }

    @Test
    void whatCannotBeThisClusterIsRefusedWithEverythingThatIsWrong() {
        assertThatThrownBy(() -> file.requireFits(
                        cluster("https://api.example.com:6443", List.of("lost")), new SandboxName("other")))
                .hasMessageContaining("https://api.example.com:6443")
                .hasMessageContaining("give --name lost");
    }

    @Test
    void anImageThatNobodyMakesIsNamedBeforeAnythingIsMade() {
        CheckedSnapshot checked = new CheckedSnapshot(
                file.file(), "sum", true, cluster("https://10.77.3.2:6443", List.of("lost")), new Subnet(3));

        assertThatThrownBy(() -> checked.requireImages(List.of("a:1", "c:1"))).hasMessageContaining("[b:1]");
    }
}
