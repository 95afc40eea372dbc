package dev.ouroboros.snapshot;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import org.junit.jupiter.api.Test;

/** What people give beside a snapshot, and is wrong. */
final class SnapshotMistakesTest {
    @Test
    void aSelectorThatIsNone() {
        for (String wrong : new String[] {"a in (b)", "!a=b", "a,,b"}) {
            Refusal.of(
                    () -> LabelRequirement.parse(wrong),
                    ErrorCode.INVALID_FLAG,
                    "--selector",
                    "is no requirement",
                    "--selector tier=control-plane");
        }
    }

    @Test
    void keysThatAreForNothing() {
        Refusal.of(
                () -> EncryptionConfiguration.read("kind: EncryptionConfiguration\n", "keys.yaml"),
                ErrorCode.INVALID_CONFIG,
                "keys.yaml: resources",
                "is empty",
                "--encryption-provider-config");
        Refusal.of(
                () -> EncryptionConfiguration.read("kind: [", "keys.yaml"),
                ErrorCode.INVALID_CONFIG,
                "keys.yaml",
                "not YAML",
                "--encryption-provider-config");
    }
}
