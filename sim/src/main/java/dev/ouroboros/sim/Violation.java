package dev.ouroboros.sim;

/** A rule was broken. */
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String rule;

    /** @param rule number in design.md and a few words */
    Violation(String rule, String what) {
        super(rule + ": " + what);
        this.rule = rule;
    }

    String rule() {
        return rule;
    }
}
