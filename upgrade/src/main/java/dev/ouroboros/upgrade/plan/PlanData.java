package dev.ouroboros.upgrade.plan;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.upgrade.decide.ClusterMember;
import dev.ouroboros.upgrade.decide.PlanFinding;
import dev.ouroboros.upgrade.decide.PlanStep;
import dev.ouroboros.upgrade.decide.SkewPair;
import dev.ouroboros.upgrade.decide.UpgradePlan;
import java.util.Locale;
import java.util.function.UnaryOperator;

/** A plan for programs. */
public final class PlanData {
    private PlanData() {}

    /** @param advising makes a command that is advised work as it is printed */
    public static ObjectNode of(UpgradePlan plan, UnaryOperator<String> advising) {
        ObjectNode root = new ObjectMapper()
                .createObjectNode()
                .put("from", plan.now().tag())
                .put("to", plan.target().tag())
                .put("blocked", plan.isBlocked());
        ArrayNode components = root.putArray("components");
        for (ClusterMember member : plan.members()) {
            ObjectNode one =
                    components.addObject().put("name", member.component().id());
            if (!member.place().isEmpty()) {
                one.put("node", member.place());
            }
            one.put("version", member.version().number())
                    .put("toBe", plan.toBe(member).number());
        }
        ArrayNode steps = root.putArray("steps");
        plan.steps().forEach(step -> step(steps.addObject(), step));
        ArrayNode findings = root.putArray("findings");
        plan.findings().forEach(finding -> finding(findings.addObject(), finding, advising));
        ArrayNode unjudged = root.putArray("notJudged");
        plan.unjudged()
                .forEach(one -> unjudged.addObject().put("object", one.object()).put("what", one.what()));
        ArrayNode kubelets = root.putArray("onEachNode");
        plan.kubelets().forEach(kubelets::add);
        return root;
    }

    private static void step(ObjectNode node, PlanStep step) {
        node.put("step", step.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'));
        if (!step.place().isEmpty()) {
            node.put("node", step.place());
        }
        node.put("what", step.what()).put("byHand", step.isByHand());
        ArrayNode skew = node.putArray("skew");
        for (SkewPair pair : step.pairs()) {
            skew.addObject()
                    .put(
                            "pair",
                            pair.member().describe() + " with " + pair.than().describe())
                    .put("rule", pair.rule().limit())
                    .put("source", pair.rule().source())
                    .put("allowed", pair.isAllowed());
        }
    }

    private static void finding(ObjectNode node, PlanFinding finding, UnaryOperator<String> advising) {
        node.put("severity", finding.severity().word())
                .put("check", finding.check())
                .put("object", finding.object())
                .put("evidence", finding.evidence());
        if (!finding.consequence().isEmpty()) {
            node.put("consequence", finding.consequence());
        }
        if (!finding.next().isEmpty()) {
            node.put("next", advising.apply(finding.next()));
        }
    }
}
