package dev.ouroboros.node.process;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;

/**
 * How a child process ended.
 *
 * @param command as it was run, for messages
 * @param exitCode its exit code
 * @param output standard output
 * @param error standard error
 */
public record Result(String command, int exitCode, String output, String error) {
    public boolean succeeded() {
        return exitCode == 0;
    }

    /** The output of a child that must have succeeded.
     *
     * @throws ProblemException PROCESS_FAILED with the child's last error lines when it did not
     */
    public String orThrow() {
        if (!succeeded()) {
            String said = error.isBlank() ? output : error;
            throw ProblemException.of(
                    ErrorCode.PROCESS_FAILED,
                    command,
                    "exit code " + exitCode + ": " + tail(said.strip(), 1500),
                    "",
                    "mend what it says, or run it by hand to see more, then run the same command again");
        }
        return output;
    }

    private static String tail(String text, int limit) {
        return text.length() <= limit ? text : "..." + text.substring(text.length() - limit);
    }
}
