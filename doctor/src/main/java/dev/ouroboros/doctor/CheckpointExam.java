package dev.ouroboros.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.ailment.Finding.Severity;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.status.model.CheckpointSlots;
import dev.ouroboros.status.model.ComponentStatus;
import dev.ouroboros.status.model.NodeCheckpoints;
import dev.ouroboros.status.model.Owner;
import dev.ouroboros.status.model.Report;
import java.util.ArrayList;
import java.util.List;

/** Whether every component of the control plane could be started with no API. */
final class CheckpointExam {
    private static final String CHECK = Ailment.NO_CHECKPOINT.check();

    private CheckpointExam() {}

    static List<Finding> of(Report report) {
        List<Finding> findings = new ArrayList<>();
        List<String> kept = new ArrayList<>();
        for (ComponentStatus component : report.components()) {
            if (component.checkpoints().isPresent()) {
                judge(component.title(), component.checkpoints().get(), findings, kept);
            } else if (mustHaveOne(component)) {
                findings.add(Ailment.NO_CHECKPOINT.seen(component.title() + " asks for none"));
            }
        }
        if (findings.isEmpty()) {
            findings.add(
                    kept.isEmpty()
                            ? Finding.unknown(CHECK, "nobody who was asked knows of any")
                            : Finding.ok(CHECK, "last-good of " + String.join(", ", kept)));
        }
        return findings;
    }

    private static boolean mustHaveOne(ComponentStatus component) {
        return Component.WITH_UNDERSTUDY.stream().anyMatch(needed -> needed.id().equals(component.title()))
                && component.owner().is(Owner::isSelfHosted);
    }

    private static void judge(
            String title, Evidence<List<NodeCheckpoints>> checkpoints, List<Finding> findings, List<String> kept) {
        switch (checkpoints) {
            case Unknown<List<NodeCheckpoints>>(String why) -> findings.add(Finding.unknown(CHECK, title + ": " + why));
            case Known<List<NodeCheckpoints>>(List<NodeCheckpoints> all) ->
                all.forEach(
                        each -> judge(all.size() == 1 ? title : title + " on " + each.node(), each, findings, kept));
        }
    }

    /** Judges the checkpoints of another node by what its keeper published of them: what that does not say counts as unknown, not as wrong. */
    private static void judge(String title, NodeCheckpoints checkpoints, List<Finding> findings, List<String> kept) {
        switch (checkpoints.slots()) {
            case Unknown<CheckpointSlots>(String why) ->
                findings.add(
                        checkpoints.told().isPresent()
                                ? Finding.unknown(CHECK, title + ": " + why)
                                : Ailment.CHECKPOINT_IS_UNUSABLE.seen(title + ": " + why));
            case Known<CheckpointSlots>(CheckpointSlots saved) -> {
                if (saved.lastGood().isPresent()) {
                    kept.add(title);
                } else if (saved.candidate().isPresent()) {
                    findings.add(Ailment.NO_CHECKPOINT.seen(
                            Severity.WARNING, title + ": its only one is not proven yet", "", ""));
                } else {
                    findings.add(Ailment.NO_CHECKPOINT.seen(title + " has none"));
                }
            }
        }
    }
}
