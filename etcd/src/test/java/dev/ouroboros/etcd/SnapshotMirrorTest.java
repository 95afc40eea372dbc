package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of snapshots of a real etcd to another file system: that of shared memory, which every Linux has. */
final class SnapshotMirrorTest {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final Instant NOW = Instant.parse("2026-11-29T15:12:00Z");
    private static final SnapshotRetention ONE = new SnapshotRetention.Newest(1);

    @TempDir
    private Path directory = Path.of("");

    private Path below = Path.of("");

    @SuppressWarnings("NullAway.Init") // made before each test
    private ManifestEtcd etcd;

    @BeforeEach
    void etcd() throws Exception {
        etcd = ManifestEtcd.start(directory, "registry.example/etcd:3.4.23");
        Files.createDirectory(directory.resolve("backups"));
        below = Path.of("ouroboros-mirror-test-" + ProcessHandle.current().pid());
    }

    @AfterEach
    void end() {
        new LocalDisk().deleteTree(SHARED_MEMORY.resolve(below));
        if (etcd != null) {
            etcd.close();
        }
    }

    private SnapshotName pattern() {
        return new SnapshotName(directory.resolve("backups/etcd-{time}.db"));
    }

    private Path save(Instant at) throws IOException {
        Path saved = new SnapshotSaver(new LocalDisk(), InstantSource.fixed(at))
                .save(etcd.servers(), pattern(), new SnapshotRetention.All())
                .file();
        Files.writeString(SnapshotName.keysOf(saved), "keys of " + at);
        return saved;
    }

    private Path copy(Path snapshot) {
        return new SnapshotMirror(new LocalDisk(), SHARED_MEMORY).copy(snapshot, below, pattern(), ONE);
    }

    @Test
    void aCopyIsTheSnapshotWithItsKeysAndOlderOnesGo() throws Exception {
        etcd.control("put", "key", "value").orThrow();
        Path first = save(NOW);
        Path copied = copy(first);
        assertThat(copied).hasSameBinaryContentAs(first);
        assertThat(Files.readString(SnapshotName.keysOf(copied))).isEqualTo("keys of " + NOW);
        assertThat(copy(first)).as("again").isEqualTo(copied);

        Path second = copy(save(NOW.plusSeconds(60)));
        assertThat(new SnapshotList(new LocalDisk()).of(SHARED_MEMORY.resolve(below)))
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.file()).isEqualTo(second);
                    assertThat(entry.state()).isEqualTo(SnapshotList.State.AS_SAVED);
                    assertThat(entry.keys()).isPresent();
                });
    }

    /** One that was cut off when the server went away has the snapshot's name and not its end. */
    @Test
    void whatIsThereAndNotTheSameIsCopiedAgain() throws Exception {
        Path saved = save(NOW);
        Path copied = copy(saved);
        Files.write(copied, new byte[] {1, 2, 3});
        assertThat(copy(saved)).isEqualTo(copied).hasSameBinaryContentAs(saved);
    }

    /** It ends as the snapshot does, and is another one. */
    @Test
    void aCopyThatIsNotWholeIsToldAndDoesNotStay() throws Exception {
        Path saved = save(NOW);
        byte[] whole = Files.readAllBytes(saved);
        Disk damaging = FaultyDisk.with((change, _) -> {
            if (change.equals("copy")) {
                byte[] other = whole.clone();
                other[other.length / 2] ^= 1;
                Files.write(saved, other);
            }
        });
        assertThatThrownBy(() -> new SnapshotMirror(damaging, SHARED_MEMORY).copy(saved, below, pattern(), ONE))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems().getFirst().code()).isEqualTo(ErrorCode.DAMAGED_FILE));
        Files.write(saved, whole);
        assertThat(copy(saved)).hasSameBinaryContentAs(saved);
    }

    /** What was mounted is not: a copy would fill the node's own disk, and be lost with it. */
    @Test
    void withoutAMountNothingIsCopied() throws Exception {
        Path saved = save(NOW);
        Path plain = Files.createDirectory(directory.resolve("plain"));
        for (Path none : List.of(plain, directory.resolve("missing"))) {
            assertThatThrownBy(() -> new SnapshotMirror(new LocalDisk(), none).copy(saved, below, pattern(), ONE))
                    .isInstanceOfSatisfying(ProblemException.class, e -> {
                        assertThat(e.problems().getFirst().code()).isEqualTo(ErrorCode.NOT_FOUND);
                        assertThat(e.describe()).contains(none.toString(), "is no mount");
                    });
        }
        assertThat(plain).isEmptyDirectory();
    }
}
