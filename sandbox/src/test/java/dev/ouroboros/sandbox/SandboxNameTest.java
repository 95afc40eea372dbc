package dev.ouroboros.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ProblemException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SandboxNameTest {
    @Test
    void shortNamesAreWholeInTheNetworkDevice() {
        assertThat(new SandboxName("ouroboros").link()).isEqualTo("ouro-ouroboros");
        assertThat(new SandboxName("ten-digits").link()).isEqualTo("ouro-ten-digits");
    }

    @Test
    void longNamesGetDevicesThatFitAndDiffer() {
        String one = new SandboxName("a-name-of-some-length-1").link();
        String other = new SandboxName("a-name-of-some-length-2").link();

        assertThat(one).hasSize(15).startsWith("ouro-").isNotEqualTo(other);
        assertThat(new SandboxName("a-name-of-some-length-1").link()).isEqualTo(one);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "-a", "a-", "A", "a_b", "a.b", "..", "a/b", "12345678901234567890123456789012345678901"})
    void refusesWhatIsNoDnsLabel(String name) {
        assertThat(SandboxName.isValid(name)).isFalse();
        assertThatThrownBy(() -> new SandboxName(name))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("--name");
    }
}
