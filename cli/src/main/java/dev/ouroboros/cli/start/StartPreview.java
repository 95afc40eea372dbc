package dev.ouroboros.cli.start;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.bootstrap.StartPlan;
import dev.ouroboros.cli.console.OutputFormat;
import dev.ouroboros.render.adopt.Alteration;
import picocli.CommandLine.Model.CommandSpec;

/** Prints what {@code start} would do. */
final class StartPreview {
    private StartPreview() {}

    static void print(CommandSpec spec, StartPlan plan, OutputFormat format) {
        format.print(spec, data(plan), () -> text(plan));
    }

    private static String text(StartPlan plan) {
        StringBuilder text = new StringBuilder();
        text.append("API endpoint: ").append(plan.endpoint()).append('\n');
        text.append(
                switch (plan.handover()) {
                    case FRONT -> "hand-over: both API servers run side by side, no request fails\n";
                    case OUTAGE -> "hand-over: one port for both API servers, some seconds of outage\n";
                });
        text.append("objects to apply: ").append(plan.manifests().size()).append('\n');
        plan.required()
                .forEach(workload ->
                        text.append("must be ready: ").append(workload.path()).append('\n'));
        plan.changes()
                .forEach(change ->
                        text.append("alters ").append(change.describe()).append('\n'));
        plan.remarks().forEach(remark -> text.append("leaves ").append(remark).append('\n'));
        return text.toString();
    }

    private static ObjectNode data(StartPlan plan) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        root.put("apiVersion", "ouroboros.dev/v1alpha1");
        root.put("kind", "StartPlan");
        root.put("endpoint", plan.endpoint());
        root.put("handover", plan.handover().name());
        root.put("objects", plan.manifests().size());
        ArrayNode required = root.putArray("required");
        plan.required().forEach(workload -> required.add(workload.path()));
        ArrayNode changes = root.putArray("changes");
        for (Alteration change : plan.changes()) {
            changes.addObject()
                    .put("object", change.object())
                    .put("field", change.field())
                    .put("what", change.what())
                    .put("reason", change.reason());
        }
        ArrayNode remarks = root.putArray("remarks");
        plan.remarks().forEach(remarks::add);
        return root;
    }
}
