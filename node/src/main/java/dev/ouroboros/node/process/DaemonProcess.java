package dev.ouroboros.node.process;

import dev.ouroboros.model.problem.Kind;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.PrintStream;
import java.util.List;

/** Runs a daemon from its flags to its exit code. What is wrong before its log begins is printed for people. */
public final class DaemonProcess {
    private static final int EXIT_DONE = 0;
    private static final int EXIT_FAILED = 1;
    private static final int EXIT_USAGE = 2;

    private DaemonProcess() {}

    /** What the daemon does until the process is told to end. */
    @FunctionalInterface
    public interface Work {
        /** @throws ProblemException with what is wrong with the flags, or with where it is to work */
        void run() throws InterruptedException;
    }

    /**
     * Runs it.
     *
     * @param usage is printed for {@code --help}
     * @return the exit code
     */
    public static int run(List<String> arguments, String usage, PrintStream err, Work work) {
        if (arguments.contains("--help")) {
            err.print(usage);
            return EXIT_DONE;
        }
        try {
            work.run();
            return EXIT_DONE;
        } catch (ProblemException e) {
            for (Problem problem : e.problems()) {
                err.println("error " + problem.code() + ": " + problem.describe());
            }
            boolean isUsage =
                    e.problems().stream().allMatch(problem -> problem.code().kind() == Kind.USER);
            return isUsage ? EXIT_USAGE : EXIT_FAILED;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return EXIT_FAILED;
        }
    }
}
