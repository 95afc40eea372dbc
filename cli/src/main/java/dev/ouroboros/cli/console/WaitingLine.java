package dev.ouroboros.cli.console;

import java.time.Duration;

/** The line that says what is waited for. */
public final class WaitingLine {
    private WaitingLine() {}

    /** @param since how long it is waited for already */
    public static String of(String why, Duration since) {
        return "waits" + (since.isZero() ? "" : " for " + since.toSeconds() + " s") + ": " + why;
    }
}
