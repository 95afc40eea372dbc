package dev.ouroboros.steward;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.procedure.ProcedureListener;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does one job at a time on a thread of its own, and reports its progress. When the process ends in the middle of a job, that is as if it was killed:
 * the next process goes on with the job.
 */
final class EtcdJobs {
    private static final Logger LOG = LoggerFactory.getLogger(EtcdJobs.class);
    private static final Duration PAUSE = Duration.ofSeconds(20);

    private final Work work;
    private final InstantSource clock;
    private final BooleanSupplier mayGoOn;
    private Optional<EtcdJob> running = Optional.empty();
    private Optional<Ended> ended = Optional.empty();
    private String said = "";

    /** Does a job. */
    interface Work {
        /** @throws ProblemException why it was not done */
        void perform(EtcdJob job, ProcedureListener listener);
    }

    /** @param failure empty of one that was done */
    private record Ended(EtcdJob job, Instant at, Optional<Failure> failure) {}

    private record Failure(ErrorCode code, String message) {}

    /**
     * No job is done yet.
     *
     * @param clock that does not jump
     * @param mayGoOn whether the job that is under way may go on; asked behind each change, and while the job waits
     */
    EtcdJobs(Work work, InstantSource clock, BooleanSupplier mayGoOn) {
        this.work = work;
        this.clock = clock;
        this.mayGoOn = mayGoOn;
    }

    /** Begins a job, unless one is under way; one that has just ended is not begun again at once. */
    synchronized void ensure(EtcdJob job) {
        boolean rests = ended.filter(before ->
                        before.job().equals(job) && before.at().plus(PAUSE).isAfter(clock.instant()))
                .isPresent();
        if (running.isPresent() || rests) {
            return;
        }
        running = Optional.of(job);
        said = "begins";
        LOG.info("component=steward event=job-begun job={}", job);
        Thread.ofVirtual().name("etcd-job").start(() -> perform(job));
    }

    private void perform(EtcdJob job) {
        Optional<Failure> failure =
                Optional.of(new Failure(ErrorCode.INTERNAL, "it ended as nobody expected: see the steward's log"));
        try {
            work.perform(job, new Listener());
            failure = Optional.empty();
            LOG.info("component=steward event=job-done job={}", job);
        } catch (ProblemException e) {
            failure = Optional.of(new Failure(e.problems().getFirst().code(), Steward.describe(e)));
            LOG.warn("component=steward event=job-failed job={} reason=\"{}\"", job, Steward.describe(e));
        } finally {
            end(job, failure);
        }
    }

    private synchronized void end(EtcdJob job, Optional<Failure> failure) {
        running = Optional.empty();
        ended = Optional.of(new Ended(job, clock.instant(), failure));
    }

    /**
     * The job that ended last.
     *
     * @param at when it ended, by the clock that does not jump
     * @param failure why it failed; empty text when it did not
     */
    record End(EtcdJob job, Instant at, String failure) {}

    synchronized Optional<End> lastEnd() {
        return ended.map(last -> new End(
                last.job(), last.at(), last.failure().map(Failure::message).orElse("")));
    }

    /** Why the last job failed; empty when it did not. */
    synchronized Optional<String> failure() {
        return ended.flatMap(Ended::failure).map(Failure::message);
    }

    /** Why this job failed, if it was the last, and what it had begun was taken back. */
    synchronized Optional<String> takenBack(EtcdJob job) {
        return ended.filter(last -> last.job().equals(job))
                .flatMap(Ended::failure)
                .filter(why -> why.code() == ErrorCode.COMPONENT_FAILED)
                .map(Failure::message);
    }

    /** The latest progress of the job that is under way; empty while none is. */
    synchronized Optional<String> progress() {
        return running.map(_ -> said);
    }

    private synchronized void say(String what) {
        said = what;
    }

    private final class Listener implements ProcedureListener {
        private String last = "";

        private void requireToGoOn() {
            if (!mayGoOn.getAsBoolean()) {
                throw ProblemException.of(
                        ErrorCode.LOCKED,
                        "this steward",
                        "leads no more: another one may go on with what it did",
                        "",
                        "it is gone on with by whoever leads");
            }
        }

        @Override
        public void did(String what) {
            LOG.info("component=steward event=job-step step=\"{}\"", what);
            say(what);
            requireToGoOn();
        }

        /** Told once for each thing that is waited for. */
        @Override
        public void waits(String why, Duration since) {
            if (!why.equals(last)) {
                last = why;
                LOG.info("component=steward event=job-waits reason=\"{}\"", why);
                say("waits for " + why);
            }
            requireToGoOn();
        }
    }
}
