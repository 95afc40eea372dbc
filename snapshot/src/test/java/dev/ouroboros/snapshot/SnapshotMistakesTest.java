package dev.ouroboros.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What people give beside a snapshot, and is wrong. */
final class SnapshotMistakesTest {
    private static void assertFails(ThrowingCallable work, ErrorCode code, String where, String what, String next) {
        assertThatThrownBy(work)
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems())
                                .singleElement()
                                .satisfies(problem -> {
                                    assertThat(problem.code()).isEqualTo(code);
                                    assertThat(problem.where()).isEqualTo(where);
                                    assertThat(problem.what()).contains(what);
                                    assertThat(problem.next()).contains(next);
                                }));
    }

    @Test
    void aSelectorThatIsNone() {
        for (String wrong : new String[] {"a in (b)", "!a=b", "a,,b"}) {
            assertFails(
                    () -> LabelRequirement.parse(wrong),
                    ErrorCode.INVALID_FLAG,
                    "--selector",
                    "is no requirement",
                    "--selector tier=control-plane");
        }
    }

    @Test
    void keysThatAreForNothing() {
        assertFails(
                () -> EncryptionConfiguration.read("kind: EncryptionConfiguration\n", "keys.yaml"),
                ErrorCode.INVALID_CONFIG,
                "keys.yaml: resources",
                "is empty",
                "--encryption-provider-config");
        assertFails(
                () -> EncryptionConfiguration.read("kind: [", "keys.yaml"),
                ErrorCode.INVALID_CONFIG,
                "keys.yaml",
                "not YAML",
                "--encryption-provider-config");
    }
}
