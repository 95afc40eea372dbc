package dev.ouroboros.node.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class LogEndTest {
    @Test
    void whatIsWrongIsFoundInFrontOfAUsageOrOfEveryThread() {
        assertThat(LogEnd.cause(List.of("Error: unknown flag: --x", "Usage:", "  --a", "  --b", "  --c")))
                .isEqualTo("Error: unknown flag: --x");
        assertThat(LogEnd.cause(
                        List.of("I1124 begins", "F1124 21:00:00 server.go:1] no such file", "goroutine 1", "x", "y")))
                .isEqualTo("F1124 21:00:00 server.go:1] no such file");
    }

    @Test
    void withoutSuchALineTheLastOnesAreShown() {
        assertThat(LogEnd.cause(List.of("a", "b", "", "c", "d", ""))).isEqualTo("b\nc\nd");
        assertThat(LogEnd.cause(List.of())).isEmpty();
    }
}
