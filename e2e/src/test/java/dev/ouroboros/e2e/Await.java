package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;

/** Waits for conditions; the limit only says when to give up. */
final class Await {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Duration LONG_PAUSE = Duration.ofSeconds(1);

    private Await() {}

    /** @param what the condition says, for the message */
    static void until(String what, Callable<Boolean> condition) throws Exception {
        until(what, () -> "", condition);
    }

    /**
     * @param what the condition says, for the message
     * @param instead how things stand, for the message
     */
    static void until(String what, Callable<String> instead, Callable<Boolean> condition) throws Exception {
        until(what, LIMIT, instead, condition);
    }

    /** The same of what takes longer, or on a slower machine. */
    static void until(String what, Duration limit, Callable<String> instead, Callable<Boolean> condition)
            throws Exception {
        until(what, limit, PAUSE, instead, condition);
    }

    /**
     * As {@link #until}, of what stays once it is so, on several nodes that share two processors: who asks all the time, by a program each time, takes from
     * them what they need to boot.
     */
    static void sparingly(String what, Callable<Boolean> condition) throws Exception {
        sparingly(what, LIMIT, condition);
    }

    /** The same of what takes longer. */
    static void sparingly(String what, Duration limit, Callable<Boolean> condition) throws Exception {
        until(what, limit, LONG_PAUSE, () -> "", condition);
    }

    private static void until(
            String what, Duration limit, Duration pause, Callable<String> instead, Callable<Boolean> condition)
            throws Exception {
        Instant begun = Instant.now();
        while (!condition.call()) {
            if (Duration.between(begun, Instant.now()).compareTo(limit) > 0) {
                throw new AssertionError("not within " + limit + ": " + what + "; instead: " + instead.call());
            }
            Thread.sleep(pause);
        }
        System.err.println(
                what + ": after " + Duration.between(begun, Instant.now()).toMillis() + " ms");
    }

    /** Requires that something stays as it is for a while: that nothing happens can be seen in no other way. */
    static void holds(String what, Duration time, Callable<Boolean> condition) throws Exception {
        for (Instant end = Instant.now().plus(time); Instant.now().isBefore(end); Thread.sleep(PAUSE)) {
            assertThat(condition.call()).as(what).isTrue();
        }
    }
}
