package dev.ouroboros.cli.console;

import dev.ouroboros.node.procedure.ProcedureListener;
import java.io.PrintWriter;
import java.time.Duration;
import picocli.CommandLine.Model.CommandSpec;

/** Tells people on standard error what is being done, each line at once. */
public final class SpokenLines implements ProcedureListener {
    private final PrintWriter err;

    /** @param command that is being run */
    public SpokenLines(CommandSpec command) {
        this.err = command.commandLine().getErr();
    }

    public void say(String line) {
        err.println(line);
        err.flush();
    }

    @Override
    public void did(String what) {
        say(what);
    }

    @Override
    public void waits(String why, Duration since) {
        say(WaitingLine.of(why, since));
    }
}
