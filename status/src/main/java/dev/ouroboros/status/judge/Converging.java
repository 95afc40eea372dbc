package dev.ouroboros.status.judge;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.manifest.ReadyCondition;
import dev.ouroboros.status.model.Change;
import dev.ouroboros.status.model.Change.Progress;
import dev.ouroboros.status.model.ComponentHealth.Grade;
import dev.ouroboros.status.model.ComponentStatus;
import dev.ouroboros.status.model.Convergence;
import dev.ouroboros.status.model.Convergence.Converged;
import dev.ouroboros.status.model.Convergence.Failed;
import dev.ouroboros.status.model.Convergence.Waiting;
import dev.ouroboros.status.model.NodeCheckpoints;
import dev.ouroboros.status.model.Owner;
import dev.ouroboros.status.seen.ApiSeen;
import dev.ouroboros.status.seen.ApiSeen.Others;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whether everything is as its templates ask for: what {@code kubectl rollout status} says of Deployments, and cannot say of a DaemonSet
 * with update strategy OnDelete. Unknown evidence from the API means not converged, except for other namespaces that the user may not read;
 * what only a node knows counts when the node is asked, or its keeper reports it.
 */
final class Converging {
    private Converging() {}

    static Convergence of(
            Evidence<ApiSeen> api,
            List<Workload> workloads,
            List<ComponentEvidence> clues,
            List<ComponentStatus> components,
            List<Change> changes) {
        Optional<String> unknown = unknown(api);
        if (unknown.isPresent()) {
            return new Waiting("the API server: " + unknown.get());
        }
        List<String> away = away(api);
        Optional<Convergence> failed = changes.stream()
                .filter(change -> change.progress() == Progress.FAILED)
                .map(change -> change.component() + ": " + change.stepAndNode() + ": " + change.message())
                .<Convergence>map(Failed::new)
                .findFirst();
        return failed.or(() -> stuck(workloads))
                .or(() -> switchedOff(components))
                .or(() -> Stream.of(
                                changes.stream().flatMap(change -> underWay(change).stream()),
                                workloads.stream().flatMap(workload -> rollout(workload, clues, away).stream()),
                                components.stream().flatMap(component -> notAtRest(component).stream()),
                                clues.stream().flatMap(each -> keeper(each).stream()))
                        .flatMap(reasons -> reasons)
                        .<Convergence>map(Waiting::new)
                        .findFirst())
                .orElseGet(Converged::new);
    }

    private static Optional<String> unknown(Evidence<ApiSeen> api) {
        return switch (api) {
            case Unknown<ApiSeen>(String why) -> Optional.of(why);
            case Known<ApiSeen>(ApiSeen answer) ->
                Stream.of(
                                answer.version(),
                                answer.nodes(),
                                answer.daemonSets(),
                                answer.deployments(),
                                answer.pods(),
                                unlessRefused(answer.others()))
                        .flatMap(part -> part instanceof Unknown<?>(String why) ? Stream.of(why) : Stream.empty())
                        .findFirst();
        };
    }

    /** A user who may read only kube-system waits for nothing outside of it. */
    private static Evidence<Others> unlessRefused(Evidence<Others> others) {
        return others instanceof Unknown<Others>(String why) && SourceStatuses.isRefusal(why)
                ? Evidence.known(Others.NONE)
                : others;
    }

    private static Optional<Convergence> stuck(List<Workload> workloads) {
        return workloads.stream()
                .filter(Workload::observed)
                .flatMap(workload -> workload.stuck().map(why -> workload.name() + ": " + why).stream())
                .<Convergence>map(Failed::new)
                .findFirst();
    }

    /** Waiting does not help: somebody scaled it to 0 and has to scale it up again. */
    private static Optional<Convergence> switchedOff(List<ComponentStatus> components) {
        return components.stream()
                .filter(component -> component.health().equals(ComponentJudge.SCALED_TO_ZERO))
                .<Convergence>map(component ->
                        new Failed(component.title() + ": scaled to 0; " + Remarks.scale(component) + " gives it back"))
                .findFirst();
    }

    private static Optional<String> underWay(Change change) {
        return change.progress() == Progress.DONE
                ? Optional.empty()
                : Optional.of(change.component() + ": " + change.stepAndNode() + ": " + change.message());
    }

    /** Names of nodes whose kubelets have said nothing for long: their pods follow when they are back. */
    private static List<String> away(Evidence<ApiSeen> api) {
        return api.orElse(ApiSeen.unknown("", "")).nodes().orElse(List.of()).stream()
                .filter(ReadyCondition::isUnknown)
                .flatMap(node -> node.at("metadata", "name").text().stream())
                .sorted()
                .toList();
    }

    private static Optional<String> rollout(Workload workload, List<ComponentEvidence> clues, List<String> away) {
        String name = workload.name() + ": ";
        if (!workload.observed()) {
            return Optional.of(name + "its controller has not seen its last change yet");
        }
        String trouble = clues.stream()
                .filter(each -> each.name().equals(workload.name()))
                .map(ComponentEvidence::trouble)
                .filter(text -> !text.isEmpty())
                .findFirst()
                .or(() -> Optional.of(away)
                        .filter(nodes -> workload.owner() == Owner.DAEMON_SET && !nodes.isEmpty())
                        .map(nodes ->
                                "node " + String.join(", ", nodes) + " says nothing: boot it, or delete its Node"))
                .map(text -> " (" + text + ")")
                .orElse("");
        if (workload.updated() < workload.desired()) {
            return Optional.of(name + workload.updated() + " of " + workload.desired() + " pods are of the new template"
                    + trouble);
        }
        if (workload.ready() < workload.desired()) {
            return Optional.of(name + workload.ready() + " of " + workload.desired() + " pods are ready" + trouble);
        }
        if (workload.current() > workload.desired()) {
            return Optional.of(
                    name + (trouble.isEmpty() ? "an old pod has not ended yet" : "a new pod is not ready" + trouble));
        }
        return Optional.empty();
    }

    private static Optional<String> notAtRest(ComponentStatus component) {
        if (component.health().grade() != Grade.GOOD) {
            return Optional.of(component.title() + ": " + component.health().text());
        }
        List<NodeCheckpoints> all = component.knownCheckpoints();
        return all.stream()
                .filter(each -> isUnproven(component, each))
                .findFirst()
                .map(each -> component.title() + ": its checkpoint" + (all.size() == 1 ? "" : " on " + each.node())
                        + " is not last-good yet"
                        + (component.waitsFor().isEmpty() ? "" : ", waits for " + component.waitsFor()));
    }

    /**
     * A checkpoint that no keeper updates is not waited for, nor one on a node that the component has left: a pod that stays healthy there
     * is what would prove it.
     */
    private static boolean isUnproven(ComponentStatus component, NodeCheckpoints each) {
        return each.isCurrent()
                && (component.nodes().isEmpty() || component.nodes().contains(each.node()))
                && each.slots()
                        .is(saved ->
                                saved.lastGood().isEmpty() || saved.candidate().isPresent());
    }

    private static Optional<String> keeper(ComponentEvidence clues) {
        return clues.keeper()
                .filter(word -> !word.isAtRest())
                .map(word -> clues.name() + ": " + word.description()
                        + (word.waitsFor().isEmpty() ? "" : ", waits for " + word.waitsFor()));
    }
}
