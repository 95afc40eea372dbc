package dev.ouroboros.upgrade.plan;

import dev.ouroboros.upgrade.decide.PlanFinding;
import dev.ouroboros.upgrade.decide.PlanStep;
import dev.ouroboros.upgrade.decide.SkewPair;
import dev.ouroboros.upgrade.decide.UpgradePlan;
import java.util.List;

/** A plan for people, without its table of versions. */
public final class PlanText {
    private static final String INDENT = "    ";

    private PlanText() {}

    public static String steps(UpgradePlan plan) {
        StringBuilder text = new StringBuilder();
        int number = 0;
        List<String> before = List.of();
        for (PlanStep step : plan.steps()) {
            number++;
            text.append("%2d. ".formatted(number));
            if (step.isByHand()) {
                text.append("[by hand] ");
            }
            text.append(step.what());
            if (!step.place().isEmpty()) {
                text.append(" (node ").append(step.place()).append(')');
            }
            text.append('\n');
            List<String> skew = step.notable().stream().map(SkewPair::describe).toList();
            for (String pair : skew) {
                if (!before.contains(pair)) {
                    text.append(INDENT).append("allowed: ").append(pair).append('\n');
                }
            }
            before = skew;
        }
        return text.toString();
    }

    public static String unjudged(UpgradePlan plan) {
        StringBuilder text = new StringBuilder();
        plan.unjudged()
                .forEach(one -> text.append("- ")
                        .append(one.object())
                        .append(": ")
                        .append(one.what())
                        .append('\n'));
        return text.toString();
    }

    public static String findings(UpgradePlan plan) {
        StringBuilder text = new StringBuilder();
        for (PlanFinding finding : plan.findings()) {
            text.append(finding.severity()).append(' ');
            text.append(finding.check()).append(": ").append(finding.object()).append('\n');
            text.append(INDENT).append(finding.evidence()).append('\n');
            if (!finding.consequence().isEmpty()) {
                text.append(INDENT).append("so: ").append(finding.consequence()).append('\n');
            }
            if (!finding.next().isEmpty()) {
                text.append(INDENT).append("next: ").append(finding.next()).append('\n');
            }
        }
        return text.toString();
    }
}
