package dev.ouroboros.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.status.model.ComponentHealth.Grade;
import dev.ouroboros.status.model.ComponentStatus;
import dev.ouroboros.status.model.Report;
import java.util.ArrayList;
import java.util.List;

/** Whether every component serves, as {@code ouro status} shows it. A state that ends by itself is not reported. */
final class ComponentExam {
    private static final String CHECK = Ailment.COMPONENT_DOES_NOT_SERVE.check();

    private ComponentExam() {}

    static List<Finding> of(Report report) {
        List<Finding> findings = new ArrayList<>();
        for (ComponentStatus component : report.components()) {
            String evidence = component.title() + ": " + component.health().text()
                    + (component.waitsFor().isEmpty() ? "" : ", waits for " + component.waitsFor());
            switch (component.health().grade()) {
                case BAD -> findings.add(Ailment.COMPONENT_DOES_NOT_SERVE.seen(evidence));
                case UNKNOWN, MOVING -> findings.add(Finding.unknown(CHECK, evidence));
                case GOOD -> {}
            }
        }
        long good = report.components().stream()
                .filter(component -> component.health().grade() == Grade.GOOD)
                .count();
        if (findings.isEmpty()) {
            findings.add(
                    report.components().isEmpty()
                            ? Finding.unknown(CHECK, "nobody who was asked knows of any")
                            : Finding.ok(CHECK, "all " + good + " are well"));
        }
        return findings;
    }
}
