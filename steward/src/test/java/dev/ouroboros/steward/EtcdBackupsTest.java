package dev.ouroboros.steward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.snapshot.Inspection;
import dev.ouroboros.snapshot.Snapshot;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of a real snapshot whose Secrets are encrypted by aescbc. */
final class EtcdBackupsTest {
    private static final Path SAMPLE =
            Path.of("../snapshot/src/test/resources/dev/ouroboros/snapshot/etcd-3.6.13-kubernetes-1.36.2-aescbc.db.gz");

    @TempDir
    private Path directory = Path.of("");

    @Test
    void secretsWithoutTheirKeyAreReportedAlsoWhereAKmsIsNamed() throws IOException {
        Path file = directory.resolve("sample.db");
        try (InputStream packed = new GZIPInputStream(Files.newInputStream(SAMPLE))) {
            Files.copy(packed, file);
        }
        String text = """
                kind: EncryptionConfiguration
                resources:
                - resources: [secrets]
                  providers: [{kms: {name: vault}}, {identity: {}}]
                """;
        try (Snapshot snapshot = Snapshot.open(file, EncryptionConfiguration.read(text, "keys.yaml"))) {
            Inspection inspection = snapshot.inspect();
            assertThat(EtcdBackups.unreadable(inspection, Optional.of(text))).isEqualTo(1);
        }
    }
}
