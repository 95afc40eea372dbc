package dev.ouroboros.keeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.lock.ExclusiveLock;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KeeperMainTest {
    @Test
    void refusesToWorkBesideAnotherKeeperOfTheNode(@TempDir Path directory) throws Exception {
        Path own = Files.createDirectory(directory.resolve("keeper"));
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream err = new PrintStream(said, true, StandardCharsets.UTF_8);

        int exit;
        try (ExclusiveLock _ = ExclusiveLock.acquire(own.resolve("lock"), "another keeper")) {
            exit = KeeperMain.run(
                    List.of(
                            "--node-name=node-1",
                            "--node-address=192.0.2.10",
                            "--service-cluster-ip=10.3.0.1",
                            "--kubeconfig=" + directory.resolve("kubeconfig"),
                            "--state-directory=" + directory),
                    err);
        }

        assertThat(exit).isEqualTo(1);
        assertThat(said.toString(StandardCharsets.UTF_8)).contains("error LOCKED: keep the control plane of this node");
    }
}
