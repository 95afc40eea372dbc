package dev.ouroboros.snapshot.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.snapshot.BrokenFile;
import dev.ouroboros.snapshot.Inspection;
import dev.ouroboros.snapshot.Snapshot;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Agreement with etcd itself, on files that a real one writes here and now; of every version that the machine has. */
final class RealEtcdTest {
    private static final long TABLE_BYTES = 1 << 20;
    private static final int KEYS = 2_000;
    private static final int KEYS_A_TRANSACTION = 100;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void agreesWithEtcdOnASnapshotAndOnADatabase() throws IOException {
        List<Path> installed = TestEtcd.installed();
        assumeFalse(installed.isEmpty(), "no etcd on this machine");
        for (Path binaries : installed) {
            Path place = Files.createTempDirectory(directory, "etcd");
            try (TestEtcd etcd = TestEtcd.start(binaries, place)) {
                fill(etcd);
                Path snapshot = etcd.save("snapshot.db");
                Map<String, String> values = values(etcd);
                etcd.stop();
                agrees(etcd, snapshot, values, TrailingDigest.RIGHT);
                agrees(etcd, etcd.database(), values, TrailingDigest.ABSENT);
            }
        }
    }

    @Test
    void salvagesWhatEtcdHoldsWithoutAnyTree() throws IOException {
        for (Path binaries : TestEtcd.installed()) {
            Path place = Files.createTempDirectory(directory, "etcd");
            try (TestEtcd etcd = TestEtcd.start(binaries, place)) {
                fill(etcd);
                Path snapshot = etcd.save("snapshot.db");
                Map<String, String> values = values(etcd);

                Path lost = Files.write(
                        place.resolve("lost.db"),
                        new BrokenFile(Files.readAllBytes(snapshot))
                                .withoutMetas()
                                .bytes());
                try (EtcdFile file = EtcdFile.salvage(lost)) {
                    assertThat(read(file)).as(etcd.version()).isEqualTo(values);
                    assertThat(file.facts().compactedRevision()).hasValue(12);
                    assertThat(file.salvage().orElseThrow().missingChanges()).hasValue(0);
                }

                Path leaves = Files.write(
                        place.resolve("leaves.db"),
                        new BrokenFile(Files.readAllBytes(snapshot))
                                .withoutAnyTree()
                                .bytes());
                try (EtcdFile file = EtcdFile.salvage(leaves)) {
                    // Deleted after the compaction: the deletions are there.
                    assertThat(read(file)).as(etcd.version()).isEqualTo(values);
                    assertThat(file.salvage().orElseThrow().compactedRevision()).isEmpty();
                }
            }
        }
    }

    /** The deletion went with the compaction, what was deleted is still in pages that are free. */
    @Test
    void saysThatWhatWasDeletedBeforeACompactionMayBeAmongWhatIsSalvaged() throws IOException {
        for (Path binaries : TestEtcd.installed()) {
            Path place = Files.createTempDirectory(directory, "etcd");
            try (TestEtcd etcd = TestEtcd.start(binaries, place)) {
                fill(etcd);
                String revision = etcd.control("get", "/registry/things/changed", "--write-out=fields")
                        .replaceFirst("(?s).*\"Revision\" : (\\d+).*", "$1");
                etcd.control("compaction", "--physical", revision);
                Path snapshot = etcd.save("snapshot.db");
                Map<String, String> values = values(etcd);
                Path leaves = Files.write(
                        place.resolve("leaves.db"),
                        new BrokenFile(Files.readAllBytes(snapshot))
                                .withoutAnyTree()
                                .bytes());
                try (Snapshot left = Snapshot.salvage(leaves, EncryptionConfiguration.none(), TABLE_BYTES)) {
                    Inspection inspection = left.inspect();
                    assertThat(inspection.liveKeys()).as(etcd.version()).isGreaterThanOrEqualTo(values.size());
                    assertThat(inspection.damage())
                            .extracting(Problem::what)
                            .anyMatch(what -> what.startsWith(inspection.liveKeys() + " of the keys that are read"));
                }
                try (EtcdFile file = EtcdFile.salvage(leaves)) {
                    assertThat(read(file)).as(etcd.version()).containsAllEntriesOf(values);
                }
            }
        }
    }

    private static Map<String, String> read(EtcdFile file) {
        LiveRecords live = LiveRecords.find(file, Long.MAX_VALUE, TABLE_BYTES);
        Map<String, String> read = new HashMap<>();
        file.records(record -> {
            if (live.contains(record)) {
                read.put(record.keyText(), new String(file.value(record), StandardCharsets.UTF_8));
            }
        });
        return read;
    }

    /** Keys in large transactions, changed, deleted, compacted; values larger than pages; a lease; a user; an alarm. */
    private static void fill(TestEtcd etcd) throws IOException {
        for (int first = 0; first < KEYS; first += KEYS_A_TRANSACTION) {
            StringBuilder transaction = new StringBuilder("\n");
            for (int key = first; key < first + KEYS_A_TRANSACTION; key++) {
                transaction
                        .append("put /registry/things/")
                        .append(key)
                        .append(" value-")
                        .append(key)
                        .append('\n');
            }
            etcd.controlWithInput(transaction.append("\n\n").toString(), "txn");
        }
        etcd.control("del", "--prefix", "/registry/things/1");
        etcd.control("compaction", "12");
        etcd.controlWithInput("x".repeat(200_000), "put", "/registry/large/1");
        etcd.controlWithInput("y".repeat(5_000), "put", "/registry/large/2");
        String lease = etcd.control("lease", "grant", "600").split(" ", -1)[1];
        etcd.control("put", "--lease=" + lease, "/registry/things/leased", "for a while");
        etcd.control("user", "add", "root:password");
        for (int change = 0; change < 10; change++) {
            etcd.control("put", "/registry/things/changed", "to " + change);
        }
    }

    private static Map<String, String> values(TestEtcd etcd) throws IOException {
        Map<String, String> values = new HashMap<>();
        List<String> lines = etcd.control("get", "--prefix", "").lines().toList();
        for (int index = 0; index + 1 < lines.size(); index += 2) {
            values.put(lines.get(index), lines.get(index + 1));
        }
        return values;
    }

    private static void agrees(TestEtcd etcd, Path path, Map<String, String> values, TrailingDigest digest)
            throws IOException {
        Json expected = JsonText.read(etcd.status(path));
        String version = etcd.version();
        try (EtcdFile file = EtcdFile.open(path)) {
            StatusFigures status = file.status(record -> {});
            LiveRecords live = LiveRecords.find(file, Long.MAX_VALUE, TABLE_BYTES);
            Map<String, String> read = read(file);
            assertThat(file.damages().problems()).isEmpty();
            assertThat(file.digest()).isEqualTo(digest);
            assertThat(status.hash())
                    .as(version)
                    .isEqualTo(expected.at("hash").integer().orElseThrow());
            assertThat(status.revision())
                    .isEqualTo(expected.at("revision").integer().orElseThrow());
            assertThat(file.databaseSize())
                    .isEqualTo(expected.at("totalSize").integer().orElseThrow());
            assertThat(expected.at("totalKey").integer().orElseThrow())
                    .isEqualTo(version.startsWith("3.6") ? live.count() : status.entries());
            assertThat(read).isEqualTo(values);
            assertThat(file.facts().compactedRevision()).hasValue(12);
            assertThat(file.facts().leases()).isEqualTo(1);
            assertThat(file.facts().members()).hasSize(1);
            assertThat(file.facts().writtenBy())
                    .isEqualTo(version.startsWith("3.4") ? "etcd 3.4 or older" : "etcd " + version.substring(0, 3));
        }
    }
}
