package dev.ouroboros.node.process;

import dev.ouroboros.model.problem.ProblemException;
import java.util.function.Consumer;

/** Runs child processes: the only way Ouroboros starts another program. */
public interface Processes {
    /**
     * Runs a command to its end and captures what it prints.
     *
     * @throws ProblemException MISSING_TOOL when the program does not exist, TIMEOUT when it did not end in time
     */
    Result run(Command command);

    /**
     * Runs a command to its end and hands each line of its merged output to {@code line} as it appears.
     *
     * @return the result with empty output
     * @throws ProblemException as {@link #run}
     */
    Result stream(Command command, Consumer<String> line);

    /**
     * Runs a command with our own standard streams, for interactive use.
     *
     * @return its exit code
     */
    int attach(Command command);
}
