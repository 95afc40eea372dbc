package dev.ouroboros.model.flags;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CommandLineTest {
    private static CommandLine of(String... words) {
        return new CommandLine(List.of(words));
    }

    @Test
    void readsTheValueThatCounts() {
        CommandLine line = of("server", "--port=1", "--port", "2", "--verbose", "--name=a=b");

        assertThat(line.value("port")).contains("2");
        assertThat(line.value("verbose")).contains("");
        assertThat(line.value("name")).contains("a=b");
        assertThat(line.value("por")).isEmpty();
        assertThat(of("--last").value("last")).contains("");
    }

    @Test
    void setsAFlagOnceHoweverItWasWritten() {
        Map<String, String> flags = new LinkedHashMap<>();
        flags.put("port", "9");
        flags.put("new", "x");
        CommandLine line = of("/server", "--port=1", "--port", "2", "--verbose", "word", "--porter=3", "port=4");

        CommandLine changed = line.with(flags);

        assertThat(changed.words())
                .containsExactly("/server", "--verbose", "word", "--porter=3", "port=4", "--port=9", "--new=x");
        assertThat(changed.with(flags)).isEqualTo(changed);
    }

    @Test
    void keepsTheFlagAfterOneWithoutAValue() {
        assertThat(of("--skip", "--port=1").with(Map.of("skip", "true")).words())
                .containsExactly("--port=1", "--skip=true");
    }

    @Test
    void seesAShell() {
        assertThat(of("/bin/sh", "-ec", "exec server").isShell()).isTrue();
        assertThat(of("busybox", "sh", "-c", "server").isShell()).isTrue();
        assertThat(of("bash", "script").isShell()).isFalse();
        assertThat(of("/server", "-c", "file").isShell()).isFalse();
        assertThat(of().isShell()).isFalse();
    }
}
