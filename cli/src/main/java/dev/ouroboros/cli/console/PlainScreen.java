package dev.ouroboros.cli.console;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;

/** A pipe or a file: plain lines, each with the time since the beginning. */
public final class PlainScreen implements Screen {
    private final PrintWriter out;
    private final InstantSource clock;
    private final Instant begun;
    private List<String> shown = List.of();

    public PlainScreen(PrintWriter out, InstantSource clock) {
        this.out = out;
        this.clock = clock;
        this.begun = clock.instant();
    }

    static String elapsed(Instant begun, Instant now) {
        return String.format(Locale.ROOT, "%6.1fs", Duration.between(begun, now).toMillis() / 1000.0);
    }

    @Override
    public void line(String text) {
        out.println(elapsed(begun, clock.instant()) + "  " + text);
        out.flush();
    }

    @Override
    public void now(List<String> lines) {
        lines.stream().filter(line -> !shown.contains(line)).forEach(line -> line("  waiting for " + line));
        shown = lines;
    }

    @Override
    public void close() {}
}
