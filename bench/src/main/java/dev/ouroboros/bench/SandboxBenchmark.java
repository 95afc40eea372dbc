package dev.ouroboros.bench;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.LocalProcesses;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** What is measured, --runs times in a row, on one sandbox that is made for it and removed afterwards. */
abstract class SandboxBenchmark implements Callable<Integer> {
    private static final Duration LOOK = Duration.ofMillis(200);

    @ParentCommand
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private Bench bench;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    final SeriesTable table = new SeriesTable();

    /**
     * Measures once, into the table.
     *
     * @param run from 1
     */
    abstract void measure(SandboxOuro ouro, int run) throws InterruptedException;

    /** Whose {@code ouro} is measured: this checkout's, unless a benchmark compares. */
    Path measured(Path checkout) {
        return checkout;
    }

    final Path checkout() {
        return bench.checkout();
    }

    @Override
    public final Integer call() throws InterruptedException {
        SandboxOuro ouro = new SandboxOuro(measured(checkout()), bench.sandbox(), new LocalProcesses());
        ouro.down();
        try {
            ouro.up(bench.upArguments());
            for (int run = 1; run <= bench.runs(); run++) {
                tell(spec.name() + " " + run + " of " + bench.runs());
                ouro.awaitAtRest();
                measure(ouro, run);
            }
        } finally {
            ouro.down();
        }
        spec.commandLine().getOut().print(table.render());
        spec.commandLine().getOut().flush();
        return 0;
    }

    final void tell(String line) {
        spec.commandLine().getErr().println(line);
    }

    /** Looks again and again; an API that does not answer is asked again. */
    interface Look<T> {
        /** @throws ProblemException what may be otherwise in a moment */
        Optional<T> look();
    }

    /** @throws ProblemException COMPONENT_FAILED when it was not seen within the limit, with the last look's problem */
    static <T> T await(SandboxOuro ouro, String what, Duration limit, Look<T> look) throws InterruptedException {
        Instant deadline = Instant.now().plus(limit);
        String last = "";
        while (Instant.now().isBefore(deadline)) {
            try {
                Optional<T> seen = look.look();
                if (seen.isPresent()) {
                    return seen.get();
                }
                last = "";
            } catch (ProblemException e) {
                last = e.describe();
            }
            Thread.sleep(LOOK);
        }
        throw ProblemException.of(
                ErrorCode.COMPONENT_FAILED,
                "sandbox " + ouro.sandbox(),
                "not within " + limit.toMinutes() + " minutes: " + what + (last.isEmpty() ? "" : "; " + last),
                "",
                "ouro status --name " + ouro.sandbox());
    }

    /** @return never below 0: two clocks' readings may be a little apart */
    static double seconds(Duration duration) {
        return Math.max(0, duration.toMillis() / 1000.0);
    }
}
