package dev.ouroboros.model.ailment;

/**
 * The result of one check. What is wrong is an {@link Ailment}.
 *
 * @param check what was looked at, as in {@code nftables}
 * @param evidence what was seen
 * @param consequence what will happen because of it; empty when nothing is wrong
 * @param remedy what to do about it; empty when nothing is wrong
 */
public record Finding(String check, Severity severity, String evidence, String consequence, String remedy) {
    public enum Severity {
        /** As it should be. */
        OK,
        /** Could not be found out, which is no proof of anything. */
        UNKNOWN,
        /** Works, with a risk that is named. */
        WARNING,
        /** A control plane will not run here, or not be reached. */
        PROBLEM
    }

    public Finding {
        if (check.isEmpty() || evidence.isEmpty()) {
            throw new IllegalArgumentException("a finding names its check and its evidence");
        }
        boolean wrong = severity == Severity.WARNING || severity == Severity.PROBLEM;
        if (wrong && (consequence.isEmpty() || remedy.isEmpty())) {
            throw new IllegalArgumentException(check + ": what is wrong has a consequence and a remedy");
        }
    }

    public static Finding ok(String check, String evidence) {
        return new Finding(check, Severity.OK, evidence, "", "");
    }

    public static Finding unknown(String check, String evidence) {
        return new Finding(check, Severity.UNKNOWN, evidence, "", "");
    }

    /** Whether somebody has to do or to decide something. */
    public boolean isWrong() {
        return severity == Severity.WARNING || severity == Severity.PROBLEM;
    }
}
