package dev.ouroboros.keeper.observe;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * Lets sources look, again and again, until it is closed. Sources get their turns from nowhere else, so that a simulation can give them.
 */
public interface Lookouts extends AutoCloseable {
    /** Looks, and again after the pause that the look returned. */
    void repeat(String name, Supplier<Duration> look);

    /** Looks again and again, with a pause in between. */
    default void every(String name, Duration pause, Runnable look) {
        repeat(name, () -> {
            look.run();
            return pause;
        });
    }

    /** As {@link #repeat}, and at once when the node's rest ends: for looks whose pause is a {@link Signal#sparing sparing} one. */
    void repeatAndWhenRestEnds(String name, Supplier<Duration> look);

    /**
     * As {@link #repeatAndWhenRestEnds}, for looks that cost those who are asked more than a probe does. On an overloaded machine, where such a look takes
     * seconds, it is not begun again when it has just ended.
     */
    default void repeatCostly(String name, Supplier<Duration> look) {
        repeatAndWhenRestEnds(name, look);
    }

    /** Runs something that looks until it is interrupted. */
    void follow(String name, Runnable look);

    @Override
    void close();
}
