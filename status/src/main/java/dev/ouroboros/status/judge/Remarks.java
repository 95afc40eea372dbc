package dev.ouroboros.status.judge;

import dev.ouroboros.core.evidence.Evidence.Known;
import dev.ouroboros.core.evidence.Evidence.Unknown;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.status.model.Change;
import dev.ouroboros.status.model.Change.Progress;
import dev.ouroboros.status.model.Checkpoints;
import dev.ouroboros.status.model.ComponentStatus;
import dev.ouroboros.status.model.Health.Grade;
import dev.ouroboros.status.model.Remark;
import dev.ouroboros.status.model.Report;
import dev.ouroboros.status.seen.DatedCertificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What somebody should know without asking: what does not serve, what cannot come back, what runs out. */
final class Remarks {
    private Remarks() {}

    static List<Remark> of(Instant now, List<ComponentStatus> components, List<Change> changes, Json keeperState) {
        List<Remark> remarks = new ArrayList<>();
        components.forEach(component -> {
            serving(component, remarks);
            checkpoint(component, remarks);
            certificate(now, component, remarks);
        });
        changes.stream()
                .filter(change -> change.progress() == Progress.FAILED)
                .forEach(change -> remarks.add(new Remark(
                        Grade.BAD,
                        change.component().name(),
                        "change " + change.step() + ": " + change.message(),
                        "ouro explain " + change.component().name())));
        keeperState
                .at("failing")
                .fields()
                .forEach((action, why) -> remarks.add(new Remark(
                        Grade.BAD, "keeper", action + " fails: " + why.text().orElse(""), "ouro explain")));
        keeperState
                .at("unverifiedAfter")
                .text()
                .ifPresent(older -> remarks.add(new Remark(
                        Grade.MOVING,
                        "kube-apiserver",
                        "an older one, " + older + ", stood in for it; what that may have removed is not verified yet",
                        "")));
        keeperState.at("problems").items().stream()
                .flatMap(problem -> problem.text().stream())
                .filter(problem ->
                        remarks.stream().noneMatch(remark -> remark.text().contains(problem)))
                .forEach(problem -> remarks.add(new Remark(Grade.BAD, "checkpoints", problem, "")));
        remarks.sort(Comparator.comparing(Remark::grade).reversed());
        return remarks;
    }

    private static void serving(ComponentStatus component, List<Remark> remarks) {
        if (component.health().grade() == Grade.GOOD) {
            return;
        }
        String waits = component.waitsFor().isEmpty() ? "" : ", waits for " + component.waitsFor();
        remarks.add(new Remark(
                component.health().grade(),
                component.title(),
                component.health().text() + waits,
                component.checkpoints().isPresent() ? "ouro explain " + component.title() : ""));
    }

    private static void checkpoint(ComponentStatus component, List<Remark> remarks) {
        if (component.checkpoints().isPresent()
                && component.checkpoints().get() instanceof Unknown<Checkpoints>(String why)
                && !why.equals(KubeletJudge.ELSEWHERE)) {
            remarks.add(new Remark(Grade.BAD, component.title(), "its checkpoint cannot be used: " + why, ""));
        }
        if (component.checkpoints().isPresent()
                && component.checkpoints().get() instanceof Known<Checkpoints>(Checkpoints saved)
                && saved.lastGood().isEmpty()) {
            boolean none = saved.candidate().isEmpty();
            remarks.add(new Remark(
                    none ? Grade.BAD : Grade.MOVING,
                    component.title(),
                    none
                            ? "no checkpoint: it would not come back after a power cut"
                            : "its checkpoint is not proven yet",
                    none ? "ouro explain " + component.title() : ""));
        }
    }

    private static void certificate(Instant now, ComponentStatus component, List<Remark> remarks) {
        component
                .firstToExpire()
                .filter(first -> first.notAfter().isBefore(now.plus(Report.CERTIFICATE_WARNING)))
                .ifPresent(first -> remarks.add(certificate(now, component, first)));
    }

    private static Remark certificate(Instant now, ComponentStatus component, DatedCertificate first) {
        boolean expired = first.notAfter().isBefore(now);
        return new Remark(
                expired ? Grade.BAD : Grade.MOVING,
                component.title(),
                "certificate " + (expired ? "expired " : "expires ") + first.notAfter() + " (" + first.subject() + ", "
                        + first.where() + ")",
                "");
    }
}
