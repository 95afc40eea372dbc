package dev.ouroboros.change;

import java.time.Duration;

/** Hears what is being done, for people. */
public interface ChangeListener {
    /** A step was taken. */
    void did(String what);

    /**
     * Something else has to happen first: at once, and again while it takes long.
     *
     * @param since how long it has been waited for
     */
    void waits(String why, Duration since);
}
