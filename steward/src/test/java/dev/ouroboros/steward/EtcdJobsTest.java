package dev.ouroboros.steward;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.procedure.ProcedureListener;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class EtcdJobsTest {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
    private final List<EtcdJob> done = new CopyOnWriteArrayList<>();
    private final AtomicInteger tries = new AtomicInteger();
    private final AtomicBoolean may = new AtomicBoolean(true);
    private final CountDownLatch free = new CountDownLatch(1);

    private void wait(EtcdJob job, ProcedureListener listener) {
        listener.waits("somebody", Duration.ZERO);
        try {
            free.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        done.add(job);
    }

    private void fail(EtcdJob job, ProcedureListener listener) {
        tries.incrementAndGet();
        listener.did("begin with " + job);
        throw ProblemException.of(ErrorCode.TIMEOUT, "etcd", "does not move", "a move", "look at it");
    }

    @Test
    void oneJobAtATimeTellsWhatItWaitsFor() throws Exception {
        EtcdJobs jobs = new EtcdJobs(this::wait, now::get, may::get);
        jobs.ensure(new EtcdJob.Join());
        jobs.ensure(new EtcdJob.Leave());

        eventually("it waits", () -> jobs.progress().equals(Optional.of("waits for somebody")));
        assertThat(done).isEmpty();
        free.countDown();
        eventually("it ends", () -> jobs.progress().isEmpty());
        assertThat(done).containsExactly(new EtcdJob.Join());
        assertThat(jobs.failure()).isEmpty();

        jobs.ensure(new EtcdJob.Leave());
        eventually("the next one ends", () -> done.size() == 2);
        assertThat(done).containsExactly(new EtcdJob.Join(), new EtcdJob.Leave());
    }

    @Test
    void whatFailedIsToldAndTriedAgainLater() throws Exception {
        EtcdJobs jobs = new EtcdJobs(this::fail, now::get, may::get);
        jobs.ensure(new EtcdJob.Add("b"));
        eventually("it fails", () -> jobs.failure().isPresent());
        assertThat(jobs.failure()).hasValueSatisfying(why -> assertThat(why).contains("does not move"));
        assertThat(jobs.lastEnd()).hasValueSatisfying(end -> {
            assertThat(end.job()).isEqualTo(new EtcdJob.Add("b"));
            assertThat(end.at()).isEqualTo(Instant.EPOCH);
            assertThat(end.failure()).contains("does not move");
        });

        jobs.ensure(new EtcdJob.Add("b"));
        assertThat(jobs.progress()).isEmpty();
        now.set(Instant.EPOCH.plusSeconds(21));
        jobs.ensure(new EtcdJob.Add("b"));
        eventually("it was tried again", () -> tries.get() == 2);
    }

    /** Another one leads, and may be doing the same. */
    @Test
    void aJobEndsWhenItMayNotGoOn() throws Exception {
        CountDownLatch lost = new CountDownLatch(1);
        EtcdJobs jobs = new EtcdJobs(
                (job, listener) -> {
                    listener.did("the first step");
                    lost.countDown();
                    wait(job, listener);
                },
                now::get,
                may::get);
        may.set(false);
        jobs.ensure(new EtcdJob.Add("b"));
        eventually("it ends", () -> jobs.failure().isPresent());

        assertThat(jobs.failure()).hasValueSatisfying(why -> assertThat(why).contains("leads no more"));
        assertThat(lost.getCount()).as("the step behind it").isEqualTo(1);
    }
}
