package dev.ouroboros.upgrade.decide;

import java.util.Comparator;
import java.util.Locale;

/**
 * Something that stands against an upgrade, or could not be found out.
 *
 * @param check what was looked at, as in {@code skew}
 * @param object what it is about, as in {@code Node node-1}
 * @param evidence what was seen
 * @param consequence what would happen
 * @param next the next thing to do
 */
public record PlanFinding(
        Severity severity, String check, String object, String evidence, String consequence, String next) {
    /** The order in which they are shown: by how bad they are, then as they were found. */
    static final Comparator<PlanFinding> ORDER = Comparator.comparing(PlanFinding::severity);

    /** How bad it is. */
    public enum Severity {
        /** The upgrade must not begin. */
        BLOCKING,
        /** It can begin, with a risk that is named. */
        WARNING,
        /** Could not be looked at, which is no proof of anything. */
        UNKNOWN;

        /** As in {@code blocking}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public PlanFinding {
        if (check.isEmpty() || object.isEmpty() || evidence.isEmpty()) {
            throw new IllegalArgumentException("a finding names its check, its object and its evidence");
        }
        if (severity == Severity.BLOCKING && (consequence.isEmpty() || next.isEmpty())) {
            throw new IllegalArgumentException(check + ": what blocks has a consequence and a next step");
        }
    }

    public static PlanFinding blocking(String check, String object, String evidence, String consequence, String next) {
        return new PlanFinding(Severity.BLOCKING, check, object, evidence, consequence, next);
    }

    public static PlanFinding warning(String check, String object, String evidence, String consequence, String next) {
        return new PlanFinding(Severity.WARNING, check, object, evidence, consequence, next);
    }

    public static PlanFinding unknown(String check, String object, String why, String next) {
        return new PlanFinding(Severity.UNKNOWN, check, object, why, "", next);
    }
}
