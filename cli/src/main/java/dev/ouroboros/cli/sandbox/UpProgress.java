package dev.ouroboros.cli.sandbox;

import dev.ouroboros.sandbox.up.UpEvent;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.function.Consumer;

/** Prints what {@code up} does, a line each with the time since its beginning. */
final class UpProgress implements Consumer<UpEvent> {
    /** A step that takes less gets no line for its end. */
    private static final Duration WORTH_SAYING = Duration.ofMillis(500);

    private final PrintWriter err;
    private final InstantSource time;
    private final Instant begun;
    private volatile String step = "";

    UpProgress(PrintWriter err, InstantSource time) {
        this.err = err;
        this.time = time;
        this.begun = time.instant();
    }

    @Override
    public void accept(UpEvent event) {
        switch (event) {
            case UpEvent.StepStarted(String title) -> {
                step = title;
                line(title);
            }
            case UpEvent.StepDone(String title, Duration took) -> {
                if (took.compareTo(WORTH_SAYING) >= 0) {
                    line(title + ": done in " + seconds(took) + " s");
                }
            }
            case UpEvent.Said(String said) -> line("  " + said);
            case UpEvent.Warned(String warning) -> line("  warning: " + warning);
        }
    }

    /** The step that was begun last; empty before the first one. */
    String step() {
        return step;
    }

    private void line(String text) {
        err.printf("%7ss  %s%n", seconds(Duration.between(begun, time.instant())), text);
        err.flush();
    }

    private static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f", duration.toMillis() / 1000.0);
    }
}
