package dev.ouroboros.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessMemoryTest {
    private static final String ROLLUP = """
            27000000-7ffd0ba61000 ---p 00000000 00:00 0                              [rollup]
            Rss:               86908 kB
            Pss:               85900 kB
            Pss_Anon:          58156 kB
            Private_Dirty:     58156 kB
            Anonymous:         58157 kB
            """;

    @Test
    void tellsResidentFromProportionalMemory() {
        assertThat(ProcessMemory.parse(ROLLUP, "VmHWM:\t   90000 kB\nVmRSS:\t   86908 kB\n"))
                .isEqualTo(new ProcessMemory(86_908, 85_900, 58_157, 90_000));
    }

    @Test
    void takesNothingForAFigure() {
        assertThatThrownBy(() -> ProcessMemory.parse(ROLLUP, "Name:\tkthreadd\n"))
                .hasMessageContaining("VmHWM");
    }

    @Test
    void addsUp() {
        ProcessMemory one = new ProcessMemory(1, 2, 3, 4);

        assertThat(ProcessMemory.sum(List.of(one, one))).isEqualTo(new ProcessMemory(2, 4, 6, 8));
        assertThat(ProcessMemory.sum(List.of())).isEqualTo(ProcessMemory.NONE);
    }

    @Test
    void seesThisProcess() throws IOException {
        ProcessMemory self = ProcessMemory.read(Path.of("/proc/self"));

        assertThat(self.peak()).isGreaterThan(self.anonymous());
        assertThat(self.resident()).isGreaterThanOrEqualTo(self.anonymous());
    }
}
