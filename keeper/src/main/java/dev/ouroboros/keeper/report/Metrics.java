package dev.ouroboros.keeper.report;

import dev.ouroboros.keeper.decide.ChangeStep;
import dev.ouroboros.keeper.decide.Condition;
import dev.ouroboros.keeper.decide.Reason;
import dev.ouroboros.keeper.decide.Status;
import dev.ouroboros.model.component.ComponentName;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * The keeper's metrics in Prometheus' text format, version 0.0.4. Written by hand: every number is known anyway, and a metrics
 * library would take a noticeable part of the memory.
 */
public final class Metrics {
    private final DecisionLog decisions;
    private final Supplier<Map<ComponentName, Status>> components;
    private final Supplier<ChangeStep> change;
    private final Supplier<Map<String, Boolean>> sources;
    private final Readings readings;

    /**
     * Single numbers.
     *
     * @param lastDecisionAge seconds since the decider last decided
     */
    public record Readings(
            DoubleSupplier decisions,
            DoubleSupplier lastDecisionAge,
            DoubleSupplier apiRequests,
            DoubleSupplier eventsDropped,
            DoubleSupplier foreignCluster,
            DoubleSupplier staticCopy) {}

    public Metrics(
            DecisionLog decisions,
            Supplier<Map<ComponentName, Status>> components,
            Supplier<ChangeStep> change,
            Supplier<Map<String, Boolean>> sources,
            Readings readings) {
        this.decisions = decisions;
        this.components = components;
        this.change = change;
        this.sources = sources;
        this.readings = readings;
    }

    /** Everything, as it is now. */
    public String text() {
        Page page = new Page();
        page.head("actions_total", "counter", "Actions performed, by the reason that the decision gave.");
        reasons(page, "actions_total", decisions.counts());
        page.head("action_failures_total", "counter", "Actions that failed with something new to say.");
        reasons(page, "action_failures_total", decisions.failures());
        page.head("component_condition", "gauge", "1 for the condition that a component is in, 0 for the others.");
        components.get().forEach((name, status) -> {
            for (Condition condition : Condition.values()) {
                String labels = "{namespace=\"" + name.namespace() + "\",name=\"" + name.name() + "\",condition=\""
                        + lower(condition) + "\"}";
                page.line("component_condition" + labels, condition == status.condition() ? 1 : 0);
            }
        });
        page.head("change_step", "gauge", "1 for the step that a change of the API server is at, 0 for the others.");
        for (ChangeStep step : ChangeStep.values()) {
            page.line("change_step{step=\"" + lower(step) + "\"}", step == change.get() ? 1 : 0);
        }
        page.head("source_known", "gauge", "1 when a source answers, 0 when what it sees is unknown.");
        sources.get().forEach((source, known) -> page.line("source_known{source=\"" + source + "\"}", known ? 1 : 0));
        page.single("decisions_total", "counter", "Times that the decider decided.", readings.decisions());
        page.single(
                "last_decision_age_seconds",
                "gauge",
                "Seconds since the decider last decided.",
                readings.lastDecisionAge());
        page.single("api_requests_total", "counter", "Requests sent to the API server.", readings.apiRequests());
        page.single("events_dropped_total", "counter", "Events that no API server took.", readings.eventsDropped());
        page.single(
                "foreign_cluster",
                "gauge",
                "1 when the API server that answered last belongs to another cluster.",
                readings.foreignCluster());
        page.single(
                "static_copy",
                "gauge",
                "1 when the static copy works, 0 when the API-managed pod does.",
                readings.staticCopy());
        return page.text();
    }

    private static void reasons(Page page, String name, Map<Reason, Long> counts) {
        for (Reason reason : Reason.values()) {
            page.line(name + "{reason=\"" + lower(reason) + "\"}", counts.getOrDefault(reason, 0L));
        }
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** Names of our metrics have one prefix; names of Kubernetes objects need no escaping. */
    private static final class Page {
        private static final String PREFIX = "ouroboros_keeper_";

        private final StringBuilder text = new StringBuilder(4096);

        void head(String name, String type, String help) {
            text.append("# HELP ")
                    .append(PREFIX)
                    .append(name)
                    .append(' ')
                    .append(help)
                    .append('\n');
            text.append("# TYPE ")
                    .append(PREFIX)
                    .append(name)
                    .append(' ')
                    .append(type)
                    .append('\n');
        }

        void line(String nameAndLabels, double value) {
            text.append(PREFIX).append(nameAndLabels).append(' ');
            if (value == Math.rint(value) && Math.abs(value) < 1e15) {
                text.append((long) value);
            } else {
                text.append(value);
            }
            text.append('\n');
        }

        void single(String name, String type, String help, DoubleSupplier value) {
            head(name, type, help);
            line(name, value.getAsDouble());
        }

        String text() {
            return text.toString();
        }
    }
}
