package dev.ouroboros.status.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.clock.LookInterval;
import dev.ouroboros.status.model.Convergence;
import dev.ouroboros.status.model.Report;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ConvergenceWaitTest {
    private final List<String> said = new ArrayList<>();

    private ConvergenceWait seeing(Convergence... states) {
        Deque<Convergence> next = new ArrayDeque<>(List.of(states));
        return new ConvergenceWait(
                () -> new Report(
                        Instant.EPOCH,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        next.size() > 1 ? next.removeFirst() : next.getFirst()),
                new LookInterval(1, Duration.ZERO, Duration.ZERO),
                said::add);
    }

    @Test
    void whatIsWaitedForIsSaidWhenItChanges() throws InterruptedException {
        Report report = seeing(
                        new Convergence.Waiting("the candidate is healthy for 1 s of 10 s"),
                        new Convergence.Waiting("the candidate is healthy for 2 s of 10 s"),
                        new Convergence.Waiting("the scheduler"),
                        new Convergence.Converged())
                .await(Duration.ofMinutes(1));

        assertThat(report.convergence()).isEqualTo(new Convergence.Converged());
        assertThat(said).containsExactly("the candidate is healthy for 1 s of 10 s", "the scheduler");
    }

    @Test
    void whatFailedIsNotWaitedFor() {
        Refusal.of(
                        () -> seeing(new Convergence.Failed("the candidate crashed"))
                                .await(Duration.ofMinutes(1)),
                        ErrorCode.COMPONENT_FAILED)
                .lineContains("change: the candidate crashed", "ouro change abort");
    }

    @Test
    void whatIsStillAwaitedAtTheLimitIsNamed() {
        Refusal.of(() -> seeing(new Convergence.Waiting("the scheduler")).await(Duration.ZERO), ErrorCode.TIMEOUT)
                .lineContains("not converged after 0 s: the scheduler");
    }
}
