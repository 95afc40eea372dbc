package dev.ouroboros.cli.console;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.io.Console;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Optional;

/** Asks whoever sits at the terminal whether to go on; what is going to be done has been said. */
public final class Question {
    private Question() {}

    /**
     * Asks.
     *
     * @param command that asks
     * @param what as in {@code Do this}
     * @return false unless the answer is yes
     * @throws ProblemException BAD_USAGE when nobody can be asked
     */
    public static boolean ask(String command, String what, PrintWriter err) {
        Console console = requireTerminal(command);
        err.print(what + "? [y/N] ");
        err.flush();
        String answer = Optional.ofNullable(console.readLine()).orElse("");
        return answer.strip().toLowerCase(Locale.ROOT).matches("y(es)?");
    }

    /**
     * The terminal to ask at.
     *
     * @param command that asks
     * @throws ProblemException BAD_USAGE when there is none
     */
    public static Console requireTerminal(String command) {
        return Optional.ofNullable(System.console())
                .filter(Console::isTerminal)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.BAD_USAGE,
                        command,
                        "there is no terminal to ask at",
                        "--yes",
                        "look at it with --dry-run, then say --yes"));
    }
}
