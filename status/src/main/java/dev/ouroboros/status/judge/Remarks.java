package dev.ouroboros.status.judge;

import dev.ouroboros.keeper.decide.ChangeStep;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.status.model.Change;
import dev.ouroboros.status.model.Change.Progress;
import dev.ouroboros.status.model.CheckpointSlots;
import dev.ouroboros.status.model.ComponentHealth.Grade;
import dev.ouroboros.status.model.ComponentStatus;
import dev.ouroboros.status.model.Layer;
import dev.ouroboros.status.model.NodeCheckpoints;
import dev.ouroboros.status.model.Owner;
import dev.ouroboros.status.model.Remark;
import dev.ouroboros.status.model.Report;
import dev.ouroboros.status.seen.DatedCertificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What somebody should know without asking: what does not serve, what cannot come back, what runs out. */
final class Remarks {
    /** More than the clock difference that time synchronization leaves. */
    private static final Duration CLOCKS_DIFFER = Duration.ofSeconds(5);

    private Remarks() {}

    /** After RolledBack the template is what runs already. */
    private static String next(Change change) {
        String why = "ouro explain " + change.component().name();
        return change.step().equals(ChangeStep.ROLLED_BACK.word())
                ? why
                : "ouro change abort gives the template of what runs back; " + why + " says more";
    }

    /**
     * @param notNamed nodes whose API server gets no clients of others
     * @param kubelets what is to be said of those that are to be others
     */
    static List<Remark> of(
            Instant now,
            List<ComponentStatus> components,
            List<Change> changes,
            List<String> notNamed,
            List<Remark> kubelets,
            Json keeperState) {
        List<Remark> remarks = new ArrayList<>(kubelets);
        boolean isKept = !keeperState.isNull() || !isKnownToHaveNoKeeper(components);
        components.forEach(component -> {
            serving(component, remarks);
            checkpoints(component, isKept, remarks);
            certificate(now, component, remarks);
        });
        told(now, components, remarks);
        changes.stream()
                .filter(change -> change.progress() == Progress.FAILED)
                .forEach(change -> remarks.add(new Remark(
                        Grade.BAD,
                        change.component().name(),
                        "change " + change.stepAndNode() + ": " + change.message(),
                        next(change))));
        notNamed.forEach(node -> remarks.add(new Remark(
                Grade.MOVING,
                Component.API_SERVER.id(),
                "the one on " + node + " is ready, and the kubernetes Service does not lead to it yet",
                "kubectl describe node " + node + " says why, when it stays so")));
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
                        Component.API_SERVER.id(),
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
        if (component.health().equals(ComponentJudge.SCALED_TO_ZERO)) {
            remarks.add(
                    new Remark(Grade.BAD, component.title(), "scaled to 0: " + missing(component), scale(component)));
            return;
        }
        String between = component.layer() == Layer.KUBELET ? ": " : ", waits for ";
        String waits = component.waitsFor().isEmpty() ? "" : between + component.waitsFor();
        remarks.add(new Remark(
                component.health().grade(),
                component.title(),
                component.health().text() + waits,
                nextOf(component)));
    }

    private static String nextOf(ComponentStatus component) {
        if (component.layer() == Layer.KUBELET) {
            return "ouro doctor";
        }
        return component.checkpoints().isPresent() ? "ouro explain " + component.title() : "";
    }

    /** The command that gives back what was scaled to zero. */
    static String scale(ComponentStatus component) {
        return "kubectl -n " + component.namespace() + " scale deployment " + component.name() + " --replicas=1";
    }

    private static String missing(ComponentStatus component) {
        String without = component.name().contains("scheduler")
                ? "no new pod gets a node"
                : "nobody acts on what is asked for in the API, as for pods of a Deployment";
        return without + (component.waitsFor().isEmpty() ? "" : "; the keeper waits for " + component.waitsFor());
    }

    /** An unreadable annotation of another node makes its checkpoints only unknown: its disk may be fine. */
    private static void checkpoints(ComponentStatus component, boolean isKept, List<Remark> remarks) {
        List<NodeCheckpoints> all = component.knownCheckpoints();
        for (NodeCheckpoints each : all) {
            String where = all.size() == 1 ? "" : " on " + each.node();
            switch (each.slots()) {
                case Unknown<CheckpointSlots>(String why) -> {
                    if (each.told().isEmpty()) {
                        remarks.add(new Remark(
                                Grade.BAD,
                                component.title(),
                                "its checkpoint" + where + " cannot be used: " + why,
                                ""));
                    }
                }
                case Known<CheckpointSlots>(CheckpointSlots saved) -> {
                    if (saved.lastGood().isEmpty()) {
                        remarks.add(unproven(component, isKept, saved, where));
                    }
                }
            }
        }
    }

    /** An API that lists other DaemonSets but not the keeper's: the keeper was removed. */
    private static boolean isKnownToHaveNoKeeper(List<ComponentStatus> components) {
        List<ComponentStatus> workloads = components.stream()
                .filter(component -> component.owner().is(owner -> owner == Owner.DAEMON_SET))
                .toList();
        return !workloads.isEmpty()
                && workloads.stream().noneMatch(workload -> workload.name().equals(Component.KEEPER.id()));
    }

    private static Remark unproven(ComponentStatus component, boolean isKept, CheckpointSlots saved, String where) {
        boolean none = saved.candidate().isEmpty();
        if (none && !isKept) {
            return new Remark(
                    Grade.BAD,
                    component.title(),
                    "no checkpoint" + where + ", and no keeper: it would not come back after a power cut",
                    "ouro up, in a sandbox, gives the keeper back; on a host ouro start with its --asset-dir");
        }
        return new Remark(
                none ? Grade.BAD : Grade.MOVING,
                component.title(),
                none
                        ? "no checkpoint" + where + ": it would not come back after a power cut"
                        : "its checkpoint" + where + " is not proven yet",
                none ? "ouro explain " + component.title() : "");
    }

    /** Reasons to doubt what is told of a node's checkpoints: one remark each per node. */
    private static void told(Instant now, List<ComponentStatus> components, List<Remark> remarks) {
        SortedMap<String, List<NodeCheckpoints>> byNode = new TreeMap<>();
        components.stream()
                .flatMap(component -> component.knownCheckpoints().stream())
                .forEach(each -> byNode.computeIfAbsent(each.node(), _ -> new ArrayList<>())
                        .add(each));
        byNode.forEach((node, all) -> {
            all.stream()
                    .flatMap(each -> each.told().stream())
                    .filter(told -> !told.doubt().isEmpty() && told.at().isPresent())
                    .findFirst()
                    .ifPresent(told -> remarks.add(new Remark(
                            Grade.UNKNOWN,
                            "checkpoints of " + node,
                            "as its keeper said last, " + told.at().get() + ": " + told.doubt(),
                            "")));
            all.stream()
                    .flatMap(NodeCheckpoints::moments)
                    .max(Comparator.naturalOrder())
                    .filter(last -> last.isAfter(now.plus(CLOCKS_DIFFER)))
                    .ifPresent(last -> remarks.add(new Remark(
                            Grade.UNKNOWN,
                            "checkpoints of " + node,
                            "of " + last
                                    + ", which is yet to come: its clock was ahead of what this one's is now, and ages are too small",
                            "")));
        });
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
