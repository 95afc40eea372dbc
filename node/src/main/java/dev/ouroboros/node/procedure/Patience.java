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

/** The driver of a command: it looks again each second, tells the listener what is waited for, and gives up when one thing is waited for too long. */
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
     * Runs a procedure. A look at an API server that does not answer is taken again; an action is not, as not every action may be done twice. An
     * action without effect, because somebody else changed the same object, is waited for and decided again.
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

    /** Tells that something was done: the time of the next wait begins anew. */
    public void did() {
        reason = "";
        since = clock.instant();
    }

    /** The time now, as in RFC 3339. */
    public String moment() {
        return clock.instant().toString();
    }

    /** The result of a look. While an API server does not answer, the look is taken again. */
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
     * Waits for one pause.
     *
     * @throws ProblemException TIMEOUT when this reason has been waited for longer than the limit
     */
    public void waits(String why) {
        waits(why, "");
    }

    /**
     * As {@link #waits(String)}.
     *
     * @param detail of the reason. Another detail is told at once, and does not begin the time anew: it is no progress
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
