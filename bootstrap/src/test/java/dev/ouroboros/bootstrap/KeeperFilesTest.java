package dev.ouroboros.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.cluster.WorkloadReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeeperFilesTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void namesEveryComponentThatAPowerCutWouldLose() throws IOException {
        KeeperFiles files = new KeeperFiles(
                directory.resolve("checkpoints"),
                directory.resolve("manifests"),
                List.of(
                        new WorkloadReference("DaemonSet", "kube-system", "kube-apiserver"),
                        new WorkloadReference("Deployment", "kube-system", "kube-scheduler")));

        assertThat(files.missing())
                .containsExactly(
                        "the keeper's first checkpoint of kube-system/kube-apiserver",
                        "the keeper's first checkpoint of kube-system/kube-scheduler",
                        "the keeper's static copy");

        write("checkpoints/kube-system/kube-apiserver/slots.json");
        write("manifests/ouroboros-keeper.json");
        assertThat(files.missing()).containsExactly("the keeper's first checkpoint of kube-system/kube-scheduler");

        write("checkpoints/kube-system/kube-scheduler/slots.json");
        assertThat(files.missing()).isEmpty();
    }

    private void write(String path) throws IOException {
        Path file = directory.resolve(path);
        Path parent = file.getParent();
        assertThat(parent).isNotNull();
        Files.createDirectories(parent);
        Files.writeString(file, "{}");
    }
}
