package dev.ouroboros.images.debian;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BuildProgressTest {
    private final List<String> said = new ArrayList<>();
    private Instant now = Instant.EPOCH;

    @Test
    void saysEachProgramAndASignOfLifeEveryTenSeconds() {
        BuildProgress progress = new BuildProgress(said::add, () -> now);

        progress.line("+++ [1121 01:49:05] Building go targets for linux/amd64:");
        progress.line("    cmd/kubelet");
        progress.line("k8s.io/api/core/v1");
        now = now.plusSeconds(10);
        progress.line("k8s.io/api/apps/v1");
        progress.line("k8s.io/api/batch/v1");
        now = now.plusSeconds(65);
        progress.line("k8s.io/kubernetes/cmd/kube-apiserver");

        assertThat(said)
                .containsExactly(
                        "compiling, 3 packages so far, now k8s.io/api/apps/v1 (0m10s)",
                        "compiling and linking kube-apiserver (1m15s)");
    }

    @Test
    void keepsTheLastLinesForTheErrorMessage() {
        BuildProgress progress = new BuildProgress(said::add, () -> now);

        for (int line = 0; line < 100; line++) {
            progress.line("line " + line);
        }

        assertThat(progress.lastLines()).hasSize(15).endsWith("line 99");
    }
}
