package dev.ouroboros.sim;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.PriorityQueue;
import java.util.function.Supplier;

/** The one event loop of a simulation, and its clock: time passes only from event to event. */
final class EventTimeline implements InstantSource {
    static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    private final PriorityQueue<Event> queue = new PriorityQueue<>(EventTimeline::inOrder);
    private long passed;
    private Instant now = BEGIN;
    private long scheduled;
    private long happened;

    /** @param at nanoseconds since the beginning */
    private record Event(long at, long order, Life life, Runnable what) {}

    private static int inOrder(Event one, Event other) {
        int byTime = Long.compare(one.at(), other.at());
        return byTime == 0 ? Long.compare(one.order(), other.order()) : byTime;
    }

    /** The owner of events: when it has ended, they do not happen; when it stands still, they happen once it goes on. */
    static final class Life {
        private boolean ended;
        private long standsStillUntil;

        void end() {
            ended = true;
        }

        boolean hasEnded() {
            return ended;
        }
    }

    @Override
    public Instant instant() {
        return now;
    }

    Duration passed() {
        return Duration.ofNanos(passed);
    }

    long happened() {
        return happened;
    }

    /** As after SIGSTOP, or in a JVM that gets no processor: time goes on, and its events wait until SIGCONT. */
    void stop(Life life, Duration how) {
        life.standsStillUntil = Math.max(life.standsStillUntil, passed + how.toNanos());
    }

    void after(Life life, Duration delay, Runnable what) {
        queue.add(new Event(passed + delay.toNanos(), scheduled++, life, what));
    }

    /** Repeats an action, each time after the duration that its last run returned; also when a power cut interrupts a run. */
    void repeat(Life life, Duration first, Supplier<Duration> what) {
        after(life, first, () -> {
            Duration next = first;
            try {
                next = what.get();
            } finally {
                if (!life.hasEnded()) {
                    repeat(life, next, what);
                }
            }
        });
    }

    void every(Life life, Duration pause, Runnable what) {
        repeat(life, pause, () -> {
            what.run();
            return pause;
        });
    }

    /** Runs the next event whose owner has not ended. */
    void step() {
        for (Event next = queue.remove(); ; next = queue.remove()) {
            long goesOn = next.life().standsStillUntil;
            if (!next.life().hasEnded() && next.at() < goesOn) {
                queue.add(new Event(goesOn, next.order(), next.life(), next.what()));
            } else if (!next.life().hasEnded()) {
                if (next.at() != passed) {
                    passed = next.at();
                    now = BEGIN.plusNanos(passed);
                }
                happened++;
                next.what().run();
                return;
            }
        }
    }
}
