package dev.ouroboros.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ProcessSampleTest {
    @Test
    void readsWhatProcfsTellsWhateverTheProcessIsCalled() {
        String stat = "42 (a ) b) S 7 42 42 0 -1 4194560 1 2 3 4 100 20 3 1 20 0 1 0 99 5 6";

        assertThat(ProcessSample.parse("a b", stat)).isEqualTo(new ProcessSample(42, 7, "a b", 124));
    }

    @Test
    void seesThisProcess() throws IOException {
        long self = ProcessHandle.current().pid();

        assertThat(ProcessSample.all(Path.of("/proc")))
                .filteredOn(sample -> sample.pid() == self)
                .singleElement()
                .satisfies(sample -> assertThat(sample.commandLine()).contains("java"));
    }
}
