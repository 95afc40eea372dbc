package dev.ouroboros.upgrade.decide;

import static dev.ouroboros.upgrade.decide.PlanFinding.blocking;
import static dev.ouroboros.upgrade.decide.PlanFinding.unknown;
import static dev.ouroboros.upgrade.decide.PlanFinding.warning;

import dev.ouroboros.change.decide.HeldRollout;
import dev.ouroboros.change.decide.Rollout;
import dev.ouroboros.keeper.decide.ChangeReport;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.manifest.ReadyCondition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Whether the control plane is at rest: nothing is begun on top of a change that has not ended. */
final class StateJudge {
    private static final String CHECK = "state";
    private static final List<Component> WORKLOADS = List.of(
            Component.API_SERVER, Component.CONTROLLER_MANAGER, Component.SCHEDULER, Component.PROXY, Component.KEEPER);

    private StateJudge() {}

    static List<PlanFinding> judge(ClusterSeen seen) {
        if (seen.workloads() instanceof Unknown<List<Manifest>>(String why)) {
            return List.of(unknown(CHECK, "DaemonSets and Deployments of kube-system", why, ""));
        }
        List<PlanFinding> findings = new ArrayList<>();
        List<Manifest> workloads = seen.workloads().orElse(List.of());
        for (Component component : WORKLOADS) {
            Optional<Manifest> own = workloads.stream()
                    .filter(workload -> workload.container(component).isPresent())
                    .findFirst();
            own.ifPresent(workload -> judge(component, workload, seen, findings));
            own.flatMap(workload -> idle(component, workload, seen)).ifPresent(findings::add);
            if (own.isEmpty()) {
                absent(component).ifPresent(findings::add);
            }
        }
        return findings;
    }

    private static void judge(Component component, Manifest workload, ClusterSeen seen, List<PlanFinding> findings) {
        Json object = workload.object();
        boolean isHeld = object.at("metadata", "annotations", ChangeReport.PAUSED_ANNOTATION)
                .equals(Json.text("true"));
        if (component == Component.API_SERVER && isHeld) {
            findings.add(blocking(
                    CHECK,
                    workload.described(),
                    "changes of it are paused (" + ChangeReport.PAUSED_ANNOTATION + ")",
                    "the keeper would not begin",
                    "ouro change resume"));
        }
        if (object.at("spec", "paused").isTrue()) {
            findings.add(blocking(
                    CHECK,
                    workload.described(),
                    "is paused (spec.paused)",
                    "its new template would not be rolled out",
                    "kubectl -n kube-system rollout resume deployment " + workload.name()));
        }
        switch (held(object, seen)) {
            // Of nodes that are away their own judge warns.
            case HeldRollout.SettledElsewhere _ -> {}
            case HeldRollout.Next next ->
                next.nodes()
                        .forEach(node -> findings.add(blocking(
                                CHECK,
                                workload.described(),
                                "a change is under way, and waits for node " + node + ", which is not ready",
                                "two changes would be mixed",
                                "turn it on, or remove it: kubectl delete node " + node)));
            case HeldRollout.NotHeld() -> {
                List<String> off = nodesThatAreOff(component, workload, seen);
                if (off.isEmpty()) {
                    rollout(workload).ifPresent(findings::add);
                } else {
                    off.forEach(node -> findings.add(blocking(
                            CHECK,
                            workload.described(),
                            "no pod of it is ready on " + node + ", which is not ready",
                            "its new pod there would not become ready, and the upgrade would not go on",
                            "turn it on, or remove it: kubectl delete node " + node)));
                }
            }
        }
    }

    private static HeldRollout held(Json object, ClusterSeen seen) {
        boolean isMoving = object.at("kind").equals(Json.text("DaemonSet"))
                && Rollout.ofDaemonSet(object) instanceof Rollout.Moving;
        return isMoving
                        && seen.nodes() instanceof Known<List<Json>>(List<Json> nodes)
                        && seen.pods() instanceof Known<List<Json>>(List<Json> pods)
                ? HeldRollout.of(object, pods, nodes)
                : new HeldRollout.NotHeld();
    }

    private static Optional<PlanFinding> rollout(Manifest workload) {
        Json object = workload.object();
        Rollout rollout =
                workload.kind().equals("Deployment") ? Rollout.ofDeployment(object) : Rollout.ofDaemonSet(object);
        return switch (rollout) {
            case Rollout.Settled() -> Optional.empty();
            case Rollout.Moving(String why) ->
                Optional.of(blocking(
                        CHECK,
                        workload.described(),
                        "a change is under way: " + why,
                        "two changes would be mixed",
                        "ouro status --wait"));
            case Rollout.Stopped(String why) ->
                Optional.of(blocking(
                        CHECK,
                        workload.described(),
                        "its last change has not succeeded: " + why,
                        "the way back would be another one than before it",
                        "ouro change abort, or make the change good; ouro explain tells more"));
        };
    }

    /**
     * Nodes that alone keep a DaemonSet from being at rest: it changes nothing, and who waited would wait for somebody to turn them on. Empty
     * when it lacks something else, too.
     */
    private static List<String> nodesThatAreOff(Component component, Manifest workload, ClusterSeen seen) {
        if (!workload.kind().equals("DaemonSet")
                || !Rollout.lacksOnlyReadyPods(workload.object())
                || !(seen.nodes() instanceof Known<List<Json>>(List<Json> nodes))
                || !(seen.pods() instanceof Known<List<Json>>(List<Json> pods))) {
            return List.of();
        }
        Set<String> off = nodes.stream()
                .filter(node -> !ReadyCondition.holds(node))
                .flatMap(node -> node.at("metadata", "name").text().stream())
                .collect(Collectors.toSet());
        List<String> lacking = podsOf(component, pods)
                .filter(pod -> !ReadyCondition.holds(pod))
                .map(pod -> pod.at("spec", "nodeName").text().orElse(""))
                .distinct()
                .sorted()
                .toList();
        return off.containsAll(lacking) ? lacking : List.of();
    }

    /**
     * A Deployment that is scaled to zero looks settled, and its status is what the controller manager wrote last. Whether a pod runs
     * is therefore read from the pods' own status, which the kubelets write.
     */
    private static Optional<PlanFinding> idle(Component component, Manifest workload, ClusterSeen seen) {
        boolean isMissed = component == Component.CONTROLLER_MANAGER || component == Component.SCHEDULER;
        if (!isMissed || !(seen.pods() instanceof Known<List<Json>>(List<Json> pods)) || isReady(component, pods)) {
            return Optional.empty();
        }
        long wanted = workload.object().at("spec", "replicas").integer().orElse(1);
        return Optional.of(blocking(
                CHECK,
                workload.described(),
                wanted == 0 ? "is scaled to 0: none runs" : "no pod of it is ready",
                component == Component.SCHEDULER
                        ? "the pods of the new templates would be placed nowhere, the API server's among them"
                        : "nobody would make the pods of the new templates, the API server's among them",
                wanted == 0
                        ? "kubectl -n kube-system scale deployment " + workload.name() + " --replicas=1"
                        : "ouro status tells why"));
    }

    private static boolean isReady(Component component, List<Json> pods) {
        return podsOf(component, pods).anyMatch(ReadyCondition::holds);
    }

    private static Stream<Json> podsOf(Component component, List<Json> pods) {
        return pods.stream()
                .filter(pod -> !Members.isMirror(pod))
                .filter(pod -> new Manifest("API", pod).container(component).isPresent());
    }

    private static Optional<PlanFinding> absent(Component component) {
        return switch (component) {
            case API_SERVER ->
                Optional.of(blocking(
                        CHECK,
                        "DaemonSet kube-system/kube-apiserver",
                        "there is none",
                        "this control plane is not self-hosted by ouro, so ouro cannot upgrade it",
                        "ouro status shows what runs it"));
            case KEEPER ->
                Optional.of(warning(
                        CHECK,
                        "DaemonSet kube-system/ouroboros-keeper",
                        "there is no keeper",
                        "nobody proves the new API server before the old one ends: an outage, and no way back by itself",
                        "spec.keeper.enabled: true in the Cluster document"));
            case CONTROLLER_MANAGER, SCHEDULER ->
                Optional.of(unknown(CHECK, "Deployment kube-system/" + component.id(), "there is none", "ouro status"));
            case PROXY, KUBELET, ETCD, NODE_AGENT, DNS, STEWARD -> Optional.empty();
        };
    }
}
