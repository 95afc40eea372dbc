package dev.ouroboros.node.procedure;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.model.procedure.Procedure;
import dev.ouroboros.model.procedure.ProcedureRun;
import dev.ouroboros.model.procedure.StepOutcome;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Supplier;

/** How long one thing is waited for, and how often that is said, by a command that takes the steps of a procedure. It looks again each second. */
public final class Patience implements ProcedureDriver {
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration REMINDER = Duration.ofSeconds(30);

    private final ProcedureListener listener;
    private final Duration limit;
    private final Duration pause;
    private final InstantSource clock;
    private String reason = "";
    private String said = "";
    private Instant since;
    private Instant told;

    public Patience(ProcedureListener listener, Duration limit, InstantSource clock) {
        this(listener, limit, PAUSE, clock);
    }

    /** @param pause before the next look */
    public Patience(ProcedureListener listener, Duration limit, Duration pause, InstantSource clock) {
        this.listener = listener;
        this.limit = limit;
        this.pause = pause;
        this.clock = clock;
        this.since = clock.instant();
        this.told = since;
    }

    /**
     * A look at an API server that does not answer for a moment is taken again; actions see to that themselves, as not all of them may be done
     * twice. One that came to nothing, because somebody else changed the same object, is waited for.
     */
    @Override
    public <S, V, A> S run(Procedure<S, V, A> procedure, Journal<S> journal, S begun) {
        ProcedureRun<S, V, A> run = new ProcedureRun<>(procedure, journal, begun, clock);
        while (true) {
            switch (run.step(asking(run::look))) {
                case StepOutcome.Moved(boolean changed) -> {
                    if (changed) {
                        did();
                    } else {
                        waits("another try: somebody else changes the same at the same time");
                    }
                }
                case StepOutcome.Waits(String what, String detail) -> waits(what, detail);
                case StepOutcome.Ended() -> {
                    return run.state();
                }
            }
        }
    }

    /** Something was done: what is waited for next begins anew. */
    public void did() {
        reason = "";
        since = clock.instant();
    }

    /** As in RFC 3339. */
    public String moment() {
        return clock.instant().toString();
    }

    /** What is seen; an API server that does not answer for a moment is asked again. */
    public <T> T asking(Supplier<T> look) {
        while (true) {
            try {
                return look.get();
            } catch (ProblemException e) {
                if (!e.problems().stream().allMatch(problem -> problem.code() == ErrorCode.API_UNAVAILABLE)) {
                    throw e;
                }
                waits(e.problems().getFirst().describe());
            }
        }
    }

    /**
     * Waits a little.
     *
     * @throws ProblemException TIMEOUT when this has been waited for too long
     */
    public void waits(String why) {
        waits(why, "");
    }

    /**
     * As {@link #waits(String)}.
     *
     * @param detail said whenever it is another one, which is no progress
     */
    public void waits(String why, String detail) {
        Instant now = clock.instant();
        String text = why + detail;
        boolean isNew = !why.equals(reason);
        if (isNew) {
            reason = why;
            since = now;
        }
        if (isNew || !text.equals(said) || Duration.between(told, now).compareTo(REMINDER) >= 0) {
            said = text;
            told = now;
            listener.waits(text, Duration.between(since, now));
        }
        if (Duration.between(since, now).compareTo(limit) > 0) {
            throw ProblemException.of(
                    ErrorCode.TIMEOUT,
                    "--timeout",
                    "nothing moved for " + limit.toSeconds() + " s: " + text,
                    "",
                    "ouro explain; run the same command again to go on");
        }
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ProblemException.of(
                    ErrorCode.TIMEOUT, "waiting", "interrupted", "", "run the same command again to go on");
        }
    }
}
