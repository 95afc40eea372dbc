package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.etcd.decide.SnapshotDrillPod;
import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.procedure.ProcedureListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Drills of snapshots of a real etcd, restored by etcd's own tool and served by another etcd. */
final class SnapshotDrillerTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    /** As what is on the path; its tag says which tool restores. */
    private static final String IMAGE = "registry.example/etcd:3.4.23";

    private static final int KEYS = 20;

    @TempDir
    private Path directory = Path.of("");

    @SuppressWarnings("NullAway.Init") // made before each test
    private ManifestEtcd etcd;

    private Path snapshot = Path.of("");
    private final List<String> done = new ArrayList<>();

    @BeforeEach
    void snapshot() throws Exception {
        etcd = ManifestEtcd.start(directory, IMAGE);
        for (int key = 0; key < KEYS; key++) {
            etcd.control("put", "things/" + key, "value " + key).orThrow();
        }
        etcd.control("del", "things/1").orThrow();
        snapshot = Files.createDirectory(directory.resolve("backups")).resolve("saved.db");
        save();
    }

    private void save() {
        new SnapshotSaver(new LocalDisk(), InstantSource.system())
                .save(etcd.servers(), new SnapshotName(snapshot), new SnapshotRetention.All());
    }

    @AfterEach
    void end() {
        if (etcd != null) {
            etcd.close();
        }
    }

    private SnapshotDriller.Place place() {
        return new SnapshotDriller.Place(etcd.manifest(), directory.resolve("state"));
    }

    private SnapshotDriller driller() {
        return driller(new LocalDisk());
    }

    private SnapshotDriller driller(Disk disk) {
        ProcedureListener heard = new ProcedureListener() {
            @Override
            public void did(String what) {
                done.add(what);
            }

            @Override
            public void waits(String why, Duration since) {}
        };
        return new SnapshotDriller(disk, etcd.kubelet(), InstantSource.system(), heard);
    }

    private void assertNothingIsLeft() throws IOException {
        try (Stream<Path> manifests = Files.list(etcd.manifest().resolveSibling(""))) {
            assertThat(manifests).containsExactly(etcd.manifest());
        }
        assertThat(directory.resolve("state/drill/data")).doesNotExist();
        assertThat(etcd.kubelet().pods()).hasSize(1);
        assertThat(etcd.kubelet().runs(Files.readString(etcd.manifest())))
                .as("the member runs as before")
                .isTrue();
        assertThat(etcd.control("get", "things/2", "--print-value-only")
                        .orThrow()
                        .strip())
                .isEqualTo("value 2");
    }

    @Test
    void aSnapshotIsRestoredServedComparedAndClearedAway() throws Exception {
        SnapshotDriller.Drill drill = driller().drill(snapshot, Optional.empty(), place(), LIMIT);

        assertThat(drill.keys()).isEqualTo(KEYS - 1);
        assertThat(drill.revision()).isEqualTo(KEYS + 2);
        assertThat(done)
                .containsExactly(
                        snapshot + " is being restored", "the drill's etcd is stopped", "the drill's data are deleted");
        assertNothingIsLeft();
    }

    @Test
    void whatIsNoWholeSnapshotIsRefusedByNameBeforeAnythingStarts() throws Exception {
        byte[] bytes = Files.readAllBytes(snapshot);
        Path flipped = directory.resolve("backups/flipped.db");
        byte[] other = bytes.clone();
        other[other.length / 2] ^= 1;
        Files.write(flipped, other);
        Path cut = Files.write(directory.resolve("backups/cut.db"), Arrays.copyOf(bytes, bytes.length - 32));

        for (Path broken : List.of(flipped, cut)) {
            assertThatThrownBy(() -> driller().drill(broken, Optional.empty(), place(), LIMIT))
                    .isInstanceOfSatisfying(ProblemException.class, e -> {
                        assertThat(e.problems().getFirst().code()).isEqualTo(ErrorCode.DAMAGED_FILE);
                        assertThat(e.describe()).contains(broken.toString());
                    });
        }
        assertThat(done).isEmpty();
        assertNothingIsLeft();
    }

    @Test
    void onlyWhatAKmsEncryptsMayStayEncrypted() throws Exception {
        Optional<String> keys = Optional.of("""
                kind: EncryptionConfiguration
                resources:
                - resources: [secrets]
                  providers: [{kms: {apiVersion: v2, name: vault, endpoint: "unix:///kms.sock"}}, {identity: {}}]
                """);
        etcd.control("put", "/registry/secrets/default/a", "k8s:enc:kms:v2:vault:sealed")
                .orThrow();
        save();
        assertThat(driller().drill(snapshot, keys, place(), LIMIT).decrypted()).isZero();

        etcd.control("put", "/registry/secrets/default/b", "k8s:enc:aescbc:v1:key1:sealed")
                .orThrow();
        save();
        assertThatThrownBy(() -> driller().drill(snapshot, keys, place(), LIMIT))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems())
                                .singleElement()
                                .satisfies(problem -> assertThat(problem.describe())
                                        .contains("/registry/secrets/default/b", "is encrypted with aescbc key1")));
        assertNothingIsLeft();
    }

    /** As one leaves it that is killed while its etcd serves. */
    private void leaveOne() throws Exception {
        SnapshotDrillPod pod = new SnapshotDrillPod(
                EtcdMemberPod.of(etcd.manifest().toString(), Files.readString(etcd.manifest())),
                directory.resolve("state/drill"),
                "before");
        Files.createDirectories(directory.resolve("state/drill"));
        Files.writeString(etcd.manifest().resolveSibling("drill-etcd.yaml"), pod.text(snapshot, "etcdctl"));
        while (etcd.kubelet().pods().size() < 2 || !Files.exists(directory.resolve("state/drill/data"))) {
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
    }

    @Test
    @Timeout(120)
    void aDrillThatWasKilledIsClearedAwayByTheNextOne() throws Exception {
        leaveOne();
        // What it left may be what there is no room for.
        Disk disk = FaultyDisk.fullWith(directory.resolve("state/drill/data"));
        driller(disk).drill(snapshot, Optional.empty(), place(), LIMIT);

        assertThat(done)
                .startsWith("the drill's etcd is stopped", "the drill's data are deleted")
                .contains(snapshot + " is being restored");
        assertNothingIsLeft();
    }

    @Test
    @Timeout(120)
    void whatIsLeftCanBeClearedAwayWithoutAnotherDrill() throws Exception {
        driller().clear(place());
        assertThat(done).isEmpty();
        leaveOne();
        driller().clear(place());

        assertThat(done).containsExactly("the drill's etcd is stopped", "the drill's data are deleted");
        assertNothingIsLeft();
    }
}
