package dev.ouroboros.steward;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.etcd.SnapshotMirror;
import dev.ouroboros.etcd.SnapshotName;
import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.steward.decide.BackupPolicy;
import dev.ouroboros.steward.decide.BackupReport;
import dev.ouroboros.steward.decide.BackupReport.Mirror;
import dev.ouroboros.steward.decide.ControlPlaneObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a node says of its copies while none can be made. That they are made, SnapshotMirrorTest and StewardE2eTest show. */
final class MirrorWorkerTest {
    private static final Instant NOW = Instant.parse("2026-11-29T15:12:00Z");
    private static final BackupPolicy MIRRORED = policy(true);

    @TempDir
    private Path directory = Path.of("");

    private final AtomicReference<Instant> now = new AtomicReference<>(NOW);
    private final List<String> said = new CopyOnWriteArrayList<>();

    private static BackupPolicy policy(boolean isMirrored) {
        return new BackupPolicy(
                Duration.ofHours(1), 1, new SnapshotRetention.Spread(1, 1, 1), Optional.empty(), isMirrored);
    }

    private MirrorWorker worker() {
        Path mount = directory.resolve("mirror");
        return new MirrorWorker(
                "a",
                new SnapshotMirror(new LocalDisk(), mount),
                new SnapshotName(mount.resolve(EtcdBackups.NAME)),
                (warning, reason, message) -> said.add(warning + " " + reason + " " + message),
                now::get,
                now::get);
    }

    private Optional<BackupReport.Saved> snapshot(String name) throws Exception {
        Path file = Files.writeString(directory.resolve(name), "a snapshot");
        return Optional.of(new BackupReport.Saved(file.toString(), NOW, 10, Optional.empty()));
    }

    private static ControlPlaneObject object(String status) throws JsonText.MalformedJson {
        return new ControlPlaneObject(JsonText.read("{\"status\":{\"etcd\":{\"backups\":[" + status + "]}}}"));
    }

    private Mirror failed(MirrorWorker worker) throws Exception {
        eventually(
                "it fails",
                () -> worker.last()
                        .filter(mirror -> !mirror.failure().isEmpty())
                        .isPresent());
        return worker.last().orElseThrow();
    }

    @Test
    void whereNothingIsMountedThatIsSaidOnce() throws Exception {
        MirrorWorker worker = worker();
        worker.turn(object(""), MIRRORED, "id", snapshot("one.db"));
        Mirror failed = failed(worker);
        assertThat(failed.failure()).contains("is no mount");
        assertThat(failed.at()).isEqualTo(NOW);
        assertThat(said).singleElement().asString().startsWith("true MirrorFailed a: ");
    }

    @Test
    void whatAnEarlierProcessCopiedIsNotCopiedAgain() throws Exception {
        Optional<BackupReport.Saved> copied = snapshot("one.db");
        MirrorWorker worker = worker();
        worker.turn(
                object("{\"node\":\"a\",\"mirror\":{\"time\":\"2026-11-29T14:00:00Z\",\"file\":\"%s\"}}"
                        .formatted(copied.orElseThrow().file())),
                MIRRORED,
                "id",
                copied);
        assertThat(worker.last())
                .contains(new Mirror(
                        Instant.parse("2026-11-29T14:00:00Z"),
                        copied.orElseThrow().file(),
                        ""));
        assertThat(said).isEmpty();
    }

    @Test
    void whereNoneIsWishedNothingIsSaid() throws Exception {
        MirrorWorker worker = worker();
        worker.turn(object(""), policy(false), "id", snapshot("one.db"));
        assertThat(worker.last()).isEmpty();
    }
}
