package dev.ouroboros.cli.console;

import dev.ouroboros.node.libc.TerminalSize;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A terminal: below the lines that stay, a block tells what is going on and for how long, and is written again when that changes
 * and each second. Only sequences of ECMA-48 that every terminal knows are used: cursor up, erase to the end.
 */
public final class TerminalScreen implements Screen {
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final String ERASE_BELOW = "\u001b[J";
    private static final int LEAST_COLUMNS = 20;

    private final PrintWriter out;
    private final InstantSource clock;
    private final Supplier<TerminalSize> size;
    private final Instant begun;
    private final Thread ticker;
    private List<String> block = List.of();
    private int drawn;
    private boolean closed;

    public TerminalScreen(PrintWriter out, InstantSource clock, Supplier<TerminalSize> size) {
        this.out = out;
        this.clock = clock;
        this.size = size;
        this.begun = clock.instant();
        this.ticker = Thread.ofVirtual().name("terminal").start(this::tick);
    }

    private void tick() {
        try {
            while (true) {
                Thread.sleep(TICK);
                redraw();
            }
        } catch (InterruptedException e) {
            // Closed: nothing is drawn any more.
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized void line(String text) {
        erase();
        out.println(PlainScreen.elapsed(begun, clock.instant()) + "  " + text);
        draw();
    }

    @Override
    public synchronized void now(List<String> lines) {
        block = List.copyOf(lines);
        redraw();
    }

    private synchronized void redraw() {
        erase();
        draw();
    }

    private void erase() {
        if (drawn > 0) {
            out.print("\u001b[" + drawn + "A\r" + ERASE_BELOW);
            drawn = 0;
        }
    }

    private void draw() {
        if (!closed && !block.isEmpty()) {
            List<String> lines = fitting(size.get());
            lines.forEach(out::println);
            drawn = lines.size();
        }
        out.flush();
    }

    /** A line that wraps, or a block as high as the screen, could not be erased again. */
    private List<String> fitting(TerminalSize terminal) {
        int columns = Math.max(LEAST_COLUMNS, terminal.columns() == 0 ? 80 : terminal.columns());
        int rows = Math.max(2, terminal.rows() == 0 ? 24 : terminal.rows() - 1);
        List<String> lines = new ArrayList<>();
        lines.add(PlainScreen.elapsed(begun, clock.instant()) + "  waiting for");
        for (String waitsFor : block) {
            lines.add("           " + waitsFor.lines().findFirst().orElse(""));
        }
        return lines.stream()
                .limit(rows)
                .map(line -> line.length() < columns ? line : line.substring(0, columns - 2) + "…")
                .toList();
    }

    @Override
    public void close() {
        ticker.interrupt();
        synchronized (this) {
            closed = true;
            erase();
            out.flush();
        }
    }
}
