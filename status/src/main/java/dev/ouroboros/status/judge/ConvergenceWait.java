package dev.ouroboros.status.judge;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.clock.LookInterval;
import dev.ouroboros.status.model.Convergence;
import dev.ouroboros.status.model.Report;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Looks at a cluster again and again, until everything is as its templates ask for.
 *
 * @param waits is told what is waited for, whenever that changes
 */
public record ConvergenceWait(Supplier<Report> look, LookInterval looks, Consumer<String> waits) {
    /** Between two looks at a cluster that somebody watches. */
    public static final LookInterval LOOKS = new LookInterval(4, Duration.ofSeconds(1), Duration.ofSeconds(10));

    /**
     * The report of a cluster that has converged.
     *
     * @throws ProblemException COMPONENT_FAILED when it will not get there by itself, TIMEOUT at the limit
     */
    public Report await(Duration limit) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        String said = "";
        while (true) {
            long begun = System.nanoTime();
            Report report = look.get();
            switch (report.convergence()) {
                case Convergence.Converged() -> {
                    return report;
                }
                case Convergence.Failed(String why) ->
                    throw ProblemException.of(
                            ErrorCode.COMPONENT_FAILED,
                            "change",
                            why,
                            "",
                            "ouro explain says more; ouro change abort gives the template of what runs back");
                case Convergence.Waiting(String why) -> {
                    if (System.nanoTime() - deadline >= 0) {
                        throw ProblemException.of(
                                ErrorCode.TIMEOUT,
                                "--wait",
                                "not converged after " + limit.toSeconds() + " s: " + why,
                                "",
                                "ouro explain");
                    }
                    if (!Words.withoutCounts(why).equals(said)) {
                        waits.accept(why);
                        said = Words.withoutCounts(why);
                    }
                }
            }
            Duration pause = looks.pauseAfter(Duration.ofNanos(System.nanoTime() - begun));
            // The last look is at the limit, not behind it.
            Thread.sleep(Duration.ofNanos(Math.clamp(deadline - System.nanoTime(), 0, pause.toNanos())));
        }
    }
}
