package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.etcd.decide.RestorePhase;
import dev.ouroboros.etcd.decide.RestoreState;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.testing.ModelDisk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class RestorationTest {
    private static final Instant BEGUN = Instant.parse("2026-01-01T00:01:45Z");
    private static final Path MANIFESTS = Path.of("/etc/kubernetes/manifests");
    private static final Path DATA = Path.of("/var/lib/etcd");
    private static final Path STAGED = DATA.resolve(".ouroboros-restored-20260101T000145Z");
    private static final Path STATE = Path.of("/var/lib/ouroboros");
    private static final Restoration.Target TARGET =
            new Restoration.Target("digest", MANIFESTS.resolve("etcd.yaml"), STATE, Duration.ofMinutes(5));

    private final ModelDisk disk = new ModelDisk();

    /** Seed 974 of the simulator: the journal said that it was done, and the disk refused what was left to remove. */
    @Test
    void removesWhatOneThatWasDoneHasLeft() {
        for (Path directory : List.of(STAGED, MANIFESTS, TARGET.directory(), DATA.resolve("member"))) {
            disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
        }
        disk.write(TARGET.manifest(), MANIFEST.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
        disk.write(TARGET.kept(), MANIFEST.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
        stands("digest", RestorePhase.DONE);

        Restoration again = new Restoration(TARGET, surroundings(), _ -> {});

        assertThat(again.restoredBefore()).contains(BEGUN);
        again.tidy();
        assertThat(disk.list(DATA)).containsExactly("member");
        assertThat(disk.list(TARGET.directory())).containsExactly("journal.json");
        assertThat(disk.readText(TARGET.manifest())).contains(MANIFEST);
    }

    private void stands(String snapshot, RestorePhase phase) {
        disk.createDirectories(TARGET.directory(), Disk.OWNER_ONLY_DIRECTORY);
        List<Problem> failures = phase == RestorePhase.FAILED
                ? List.of(new Problem(ErrorCode.TIMEOUT, "etcd", "did not become healthy", "", "read its log"))
                : List.of();
        new RestoreJournal(disk, TARGET.directory())
                .write(new RestoreJournal.Entry(
                        snapshot,
                        "/backup/" + snapshot + ".db",
                        new RestoreState(phase, BEGUN, BEGUN.plusSeconds(9), failures)));
    }

    @Test
    void anotherSnapshotIsNotRestoredOverOneThatHasNotEnded() {
        stands("former", RestorePhase.STOPPING);

        Refusal.of(() -> new Restoration(TARGET, surroundings(), _ -> {}), ErrorCode.LOCKED)
                .where("--etcd-snapshot")
                .what("the restore of another snapshot (/backup/former.db, SHA-256 former) has begun and not ended")
                .nextContains("run it again with that file");
    }

    @Test
    void anotherSnapshotBeginsAnewWhereNothingOfEtcdWasTouched() {
        for (Path directory : List.of(STAGED.resolve("member"), MANIFESTS, DATA.resolve("member"))) {
            disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
        }
        disk.write(TARGET.manifest(), MANIFEST.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
        stands("former", RestorePhase.PREPARING);

        Restoration restoration = new Restoration(TARGET, surroundings(), _ -> {});
        assertThat(restoration.hasTouchedEtcd()).isFalse();
        restoration.begin(restoration.etcd(), unpacker);

        assertThat(disk.list(DATA)).as("the former one's is not taken").containsExactly("member");
        restoration.step();
        assertThat(disk.readText(STAGED.resolve("member/db"))).contains("of the second");
        assertThat(new RestoreJournal(disk, TARGET.directory()).read().map(RestoreJournal.Entry::snapshot))
                .contains("digest");
    }

    @Test
    void oneThatFailedIsNoStartThatIsUnderWay() {
        stands("digest", RestorePhase.FAILED);
        UnfinishedChange.requireNoStart(disk, STATE);

        for (RestorePhase phase : List.of(RestorePhase.PREPARING, RestorePhase.STARTING, RestorePhase.DONE)) {
            stands("digest", phase);
            Refusal.of(() -> UnfinishedChange.requireNoStart(disk, STATE), ErrorCode.LOCKED)
                    .what("an 'ouro start' is under way, or has not ended");
        }
    }

    @Test
    void aStartWithoutASnapshotEndsWhatHasNotTouchedEtcdOrIsDone() {
        for (RestorePhase over : List.of(RestorePhase.PREPARING, RestorePhase.DONE, RestorePhase.FAILED)) {
            stands("digest", over);
            Restoration.forgetUnlessInBetween(disk, STATE);

            UnfinishedChange.requireNoStart(disk, STATE);
            assertThat(new Restoration(TARGET, surroundings(), _ -> {}).restoredBefore())
                    .as("the same file is restored again")
                    .isEmpty();
        }
        stands("digest", RestorePhase.SWAPPING);
        Restoration.forgetUnlessInBetween(disk, STATE);
        assertThat(new Restoration(TARGET, surroundings(), _ -> {}).hasTouchedEtcd())
                .as("etcd is stopped: it goes on")
                .isTrue();
    }

    @Test
    void anEtcdWithoutAManifestIsNotRestored() {
        Restoration restoration = new Restoration(TARGET, surroundings(), _ -> {});

        Refusal.of(restoration::etcd, ErrorCode.NOT_FOUND)
                .where(TARGET.manifest())
                .what("does not exist")
                .nextContains("name it with --etcd-manifest");
    }

    private final SnapshotUnpacker unpacker = new SnapshotUnpacker() {
        @Override
        public boolean raisesRevision() {
            return true;
        }

        @Override
        public void unpack(Path directory, String token) {
            disk.createDirectories(directory.resolve("member"), Disk.OWNER_ONLY_DIRECTORY);
            disk.write(
                    directory.resolve("member/db"),
                    "of the second".getBytes(StandardCharsets.UTF_8),
                    Disk.OWNER_ONLY_FILE);
        }
    };

    private Restoration.Surroundings surroundings() {
        EtcdProbe silent = new EtcdProbe() {
            @Override
            public Evidence<Boolean> listens() {
                return Evidence.known(false);
            }

            @Override
            public Evidence<Boolean> healthy() {
                return Evidence.known(false);
            }
        };
        return new Restoration.Surroundings(
                disk,
                new NoContainers(),
                _ -> silent,
                new StaleServers(),
                Optional.empty(),
                InstantSource.fixed(BEGUN));
    }

    private static final String MANIFEST = """
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "etcd", "namespace": "kube-system"},
             "spec": {"containers": [{"name": "etcd", "image": "localhost/etcd:3.4.23",
               "command": ["etcd", "--data-dir=/var/lib/etcd"],
               "readinessProbe": {"httpGet": {"path": "/health", "port": 2381}},
               "volumeMounts": [{"name": "data", "mountPath": "/var/lib/etcd"}]}],
              "volumes": [{"name": "data", "hostPath": {"path": "/var/lib/etcd"}}]}}
            """;
}
