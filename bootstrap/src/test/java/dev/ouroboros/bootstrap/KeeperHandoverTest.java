package dev.ouroboros.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.cluster.Applier;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.FormerLife;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.manifest.WorkloadReference;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.render.manifest.ManifestSet;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KeeperHandoverTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void aKeeperThatSavesNothingIsToldWithWhatIsMissing() {
        KeeperFiles files = new KeeperFiles(
                directory.resolve("checkpoints"),
                directory.resolve("manifests"),
                List.of(new WorkloadReference("DaemonSet", "kube-system", "kube-apiserver")));
        AtomicLong second = new AtomicLong();
        List<StartEvent> told = new ArrayList<>();
        List<String> missing =
                List.of("the keeper's first checkpoint of kube-system/kube-apiserver", "the keeper's static copy");
        Endpoint nobody = Endpoint.of(URI.create("https://127.0.0.1:1"), List.of(), Optional.empty(), Optional.empty());
        try (ClusterClient client = ClusterClient.connect(nobody)) {
            KeeperHandover handover = new KeeperHandover(
                    client,
                    new Applier(client),
                    ManifestSet.of(List.of()),
                    ManifestSet.of(List.of()),
                    "node",
                    files,
                    Duration.ZERO,
                    () -> Instant.ofEpochSecond(second.getAndIncrement()),
                    told::add,
                    FormerLife.before(Optional.empty()));
            Refusal.of(
                    () -> handover.await(Instant.EPOCH),
                    ErrorCode.TIMEOUT,
                    "keeper",
                    "the cluster serves, but would not survive a power cut: after 0 s start still waits for "
                            + String.join("; ", missing),
                    "kubectl -n kube-system logs daemonset/ouroboros-keeper says why");
        }
        assertThat(told).containsExactly(new StartEvent.Waiting(missing));
    }
}
