package dev.ouroboros.sim;

import java.util.Arrays;
import java.util.stream.Collectors;

/** A rule was broken. */
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final int FRAMES = 8;

    private final String rule;

    /** @param rule number in docs/architecture.md and a few words */
    Violation(String rule, String what) {
        super(rule + ": " + what);
        this.rule = rule;
    }

    /** A defect. */
    Violation(String rule, RuntimeException cause) {
        super(
                rule + ": " + cause
                        + Arrays.stream(cause.getStackTrace())
                                .limit(FRAMES)
                                .map(frame -> " at " + frame)
                                .collect(Collectors.joining()),
                cause);
        this.rule = rule;
    }

    String rule() {
        return rule;
    }
}
