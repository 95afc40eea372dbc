package dev.ouroboros.cli.doctor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.TargetHints;
import dev.ouroboros.model.ailment.Finding;
import java.util.List;
import java.util.Locale;

/** Findings as they are printed. */
public final class FindingsView {
    private FindingsView() {}

    /** A line each, and what follows and what to do where something is wrong. */
    public static String text(List<Finding> findings, TargetHints hints) {
        StringBuilder text = new StringBuilder();
        for (Finding finding : findings) {
            text.append("%-8s %s: %s%n".formatted(severity(finding), finding.check(), finding.evidence()));
            if (finding.isWrong()) {
                text.append("         so: %s%n         do: %s%n"
                        .formatted(finding.consequence(), hints.in(finding.remedy())));
            }
        }
        return text.toString();
    }

    /** Puts the fields of a finding into an object. */
    public static void put(ObjectNode node, Finding finding, TargetHints hints) {
        node.put("check", finding.check())
                .put("severity", severity(finding))
                .put("evidence", finding.evidence())
                .put("consequence", finding.consequence())
                .put("remedy", hints.in(finding.remedy()));
    }

    private static String severity(Finding finding) {
        return finding.severity().name().toLowerCase(Locale.ROOT);
    }
}
