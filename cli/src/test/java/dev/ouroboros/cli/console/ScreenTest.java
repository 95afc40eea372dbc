package dev.ouroboros.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.libc.TerminalSize;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ScreenTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.EPOCH);

    private final StringWriter written = new StringWriter();
    private final PrintWriter out = new PrintWriter(written);

    @Test
    void aPipeGetsEachWaitOnce() {
        try (Screen screen = new PlainScreen(out, CLOCK)) {
            screen.now(List.of("a", "b"));
            screen.now(List.of("b", "c"));
            screen.line("done");
        }

        assertThat(written.toString()).isEqualTo("""
                           0.0s    waiting for a
                           0.0s    waiting for b
                           0.0s    waiting for c
                           0.0s  done
                        """.indent(0));
    }

    @Test
    void aTerminalKeepsLinesAboveWhatGoesOn() {
        try (Screen screen = terminal(24, 80)) {
            screen.now(List.of("a"));
            screen.line("done");
            screen.now(List.of());
        }

        assertThat(shown()).isEqualTo("   0.0s  done\n");
    }

    @Test
    void aTerminalShowsWhatIsWaitedForNow() {
        Screen screen = terminal(24, 80);
        screen.now(List.of("a", "b"));
        screen.now(List.of("b"));

        assertThat(shown()).isEqualTo("   0.0s  waiting for\n           b\n");
        screen.close();
        assertThat(shown()).isEmpty();
    }

    @Test
    void aBlockNeverWrapsOrScrolls() {
        Screen screen = terminal(3, 24);
        screen.now(List.of("a name that is too long", "b", "c"));

        assertThat(shown()).isEqualTo("   0.0s  waiting for\n           a name that…\n");
        screen.close();
    }

    private Screen terminal(int rows, int columns) {
        return new TerminalScreen(out, CLOCK, () -> new TerminalSize(rows, columns));
    }

    /** What is to be seen after "up n, begin of line, erase below", the only sequences in use. */
    private String shown() {
        StringBuilder screen = new StringBuilder();
        for (String part : written.toString().split("\u001b\\[", -1)) {
            if (part.matches("(?s)\\d+A\r")) {
                int up = Integer.parseInt(part.substring(0, part.indexOf('A')));
                List<String> lines = screen.toString().lines().toList();
                screen.setLength(0);
                lines.subList(0, lines.size() - up)
                        .forEach(line -> screen.append(line).append('\n'));
            } else {
                screen.append(part.startsWith("J") ? part.substring(1) : part);
            }
        }
        return screen.toString();
    }
}
