package dev.ouroboros.sandbox.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CpuLimitTest {
    @Test
    void isANumberOfProcessors() {
        assertThat(CpuLimit.parse("0.3").milliCpus()).contains(300);
        assertThat(CpuLimit.parse("2").milliCpus()).contains(2000);
        assertThat(CpuLimit.parse("0.0104").milliCpus()).contains(10);
        assertThat(CpuLimit.parse("0").milliCpus()).isEmpty();
        assertThat(CpuLimit.parse("0.30").describe()).isEqualTo("the time of 0.3 processors");
        assertThat(CpuLimit.parse("20").describe()).isEqualTo("the time of 20 processors");
        assertThat(CpuLimit.parse("0").describe()).isEqualTo("all processors");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "much", "-1", "0.001", "300m", "1e9", "NaN"})
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> CpuLimit.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a number of processors of at least 0.01, as in 0.3, or 0 for no limit");
    }
}
