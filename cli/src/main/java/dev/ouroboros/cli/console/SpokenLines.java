package dev.ouroboros.cli.console;

import dev.ouroboros.node.procedure.ProcedureListener;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;

/** Tells people on standard error what is being done, each line at once. */
public final class SpokenLines implements ProcedureListener {
    private final PrintWriter err;
    private final Supplier<String> before;

    /** @param command that is being run */
    public SpokenLines(CommandSpec command) {
        this(command, () -> "");
    }

    /** As {@link #SpokenLines(CommandSpec)}, with the seconds since now before each line. */
    public SpokenLines(CommandSpec command, InstantSource clock) {
        this(command, secondsOf(clock.instant(), clock));
    }

    private SpokenLines(CommandSpec command, Supplier<String> before) {
        this.err = command.commandLine().getErr();
        this.before = before;
    }

    private static Supplier<String> secondsOf(Instant begun, InstantSource clock) {
        return () -> String.format(
                Locale.ROOT,
                "%6.1fs  ",
                Duration.between(begun, clock.instant()).toMillis() / 1000.0);
    }

    public void say(String line) {
        err.println(before.get() + line);
        err.flush();
    }

    @Override
    public void did(String what) {
        say(what);
    }

    @Override
    public void waits(String why, Duration since) {
        say("waits" + (since.isZero() ? "" : " for " + since.toSeconds() + " s") + ": " + why);
    }
}
