package dev.ouroboros.change.decide;

import dev.ouroboros.keeper.decide.ChangeReport;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentContainer;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.ReadyCondition;
import dev.ouroboros.model.manifest.RevisionHash;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Whether a rollout of a DaemonSet is held up by nodes that are away: whose kubelet has said nothing for so long that their condition Ready is Unknown. Its pods there count as unavailable, so that Kubernetes
 * replaces none of the others once there are as many as may be unavailable at a time, one by default (rollingUpdate in pkg/controller/daemon/update.go): one machine that is off would hold up all others, for as
 * long as somebody keeps its Node.
 *
 * <p>A node that is away and on which the DaemonSet wants no pod (another nodeSelector, no toleration of {@code node.kubernetes.io/not-ready}), but has one still, holds it up as it does without us.
 */
public sealed interface HeldRollout {
    /** It is not: something else is on its way, or wrong. */
    record NotHeld() implements HeldRollout {}

    /**
     * All pods on other nodes are of the template and ready.
     *
     * @param nodes that are away: their pods follow when they are back
     */
    record SettledElsewhere(SortedSet<String> nodes) implements HeldRollout {
        public SettledElsewhere {
            nodes = Collections.unmodifiableSortedSet(new TreeSet<>(nodes));
        }
    }

    /**
     * All pods on other nodes are ready, and Kubernetes replaces none of them.
     *
     * @param nodes that are away
     * @param pod of an earlier template: the DaemonSet makes it anew of the present one once it is deleted, or evicted
     */
    record Next(SortedSet<String> nodes, Json pod) implements HeldRollout {
        public Next {
            nodes = Collections.unmodifiableSortedSet(new TreeSet<>(nodes));
        }

        /** What is said once the pod was told to end. */
        public String told() {
            return "pod " + pod.at("metadata", "name").text().orElse("") + " on node " + node(pod)
                    + " is made anew: Kubernetes waits for what is away, node " + String.join(", ", nodes);
        }
    }

    /** Label of pods by which Kubernetes knows whether they have the template (IsPodUpdated in pkg/controller/daemon/util/daemonset_util.go). */
    String POD_GENERATION = "pod-template-generation";

    /** Annotation of their DaemonSet, with which it is compared. */
    String SET_GENERATION = "deprecated.daemonset.template.generation";

    /**
     * Of a DaemonSet whose rollout is under way. The API server's never is: which of its pods ends when is the keeper's to say.
     *
     * @param pods of its namespace, or those with its labels
     * @param nodes all of them
     */
    static HeldRollout of(Json daemonSet, List<Json> pods, List<Json> nodes) {
        Set<String> away = nodes.stream()
                .filter(ReadyCondition::isUnknown)
                .flatMap(node -> node.at("metadata", "name").text().stream())
                .collect(Collectors.toSet());
        List<Json> own = DaemonSetPods.of(daemonSet, pods);
        List<Json> held = own.stream().filter(pod -> away.contains(node(pod))).toList();
        List<Json> others =
                own.stream().filter(pod -> !away.contains(node(pod))).toList();
        if (held.isEmpty()
                || others.isEmpty()
                || !isForKubernetesToDo(daemonSet)
                || !isAtRest(daemonSet, others, held.size())) {
            return new NotHeld();
        }
        SortedSet<String> absent = held.stream().map(HeldRollout::node).collect(Collectors.toCollection(TreeSet::new));
        Predicate<Json> isCurrent = ofTemplate(daemonSet, own);
        Optional<Json> next =
                others.stream().filter(Predicate.not(isCurrent)).min(Comparator.comparing(HeldRollout::node));
        if (next.isEmpty()) {
            return new SettledElsewhere(absent);
        }
        // One of before that is not ending yet is deleted by Kubernetes, and does not count until it is.
        long unavailable = held.stream()
                .filter(pod -> DaemonSetPods.isEnding(pod) || (isCurrent.test(pod) && !ReadyCondition.holds(pod)))
                .count();
        return isBlocked(daemonSet, unavailable) ? new Next(absent, next.get()) : new NotHeld();
    }

    /** Whether Kubernetes replaces its pods by itself, has seen the present template, and says which one that is. */
    private static boolean isForKubernetesToDo(Json daemonSet) {
        boolean isRolling =
                daemonSet.at("spec", "updateStrategy", "type").text().orElse("").equals("RollingUpdate");
        Json annotations = daemonSet.at("metadata", "annotations");
        boolean isTheKeepers = !annotations.at(ChangeReport.STATE_ANNOTATION).isNull()
                || ComponentContainer.in(daemonSet.at("spec", "template", "spec"), Component.API_SERVER)
                        .isPresent();
        return isRolling && !isTheKeepers && !annotations.at(SET_GENERATION).isNull() && Rollout.isObserved(daemonSet);
    }

    /** Whether each node has its one pod, and all but those that are away are ready, for long enough. */
    private static boolean isAtRest(Json daemonSet, List<Json> others, int away) {
        Json status = daemonSet.at("status");
        return others.size() + away == number(status, "desiredNumberScheduled")
                && others.size() == number(status, "numberAvailable")
                && others.stream().allMatch(pod -> ReadyCondition.holds(pod) && !DaemonSetPods.isEnding(pod));
    }

    private static Predicate<Json> ofTemplate(Json daemonSet, List<Json> own) {
        Json status = daemonSet.at("status");
        if (number(status, "updatedNumberScheduled") >= number(status, "desiredNumberScheduled")) {
            return _ -> true;
        }
        Optional<String> generation =
                daemonSet.at("metadata", "annotations", SET_GENERATION).text();
        Predicate<Json> isOfGeneration =
                pod -> pod.at("metadata", "labels", POD_GENERATION).text().equals(generation);
        // A template that came back has another generation, and pods of before that have its hash.
        Set<String> hashes = own.stream()
                .filter(isOfGeneration)
                .flatMap(pod -> RevisionHash.of(pod).stream())
                .collect(Collectors.toSet());
        return isOfGeneration.or(
                pod -> RevisionHash.of(pod).filter(hashes::contains).isPresent());
    }

    /** Whether as many pods are unavailable as may be; where none may be, Kubernetes makes the new one beside the old one (maxSurge), which is left to it. */
    private static boolean isBlocked(Json daemonSet, long unavailable) {
        Json most = daemonSet.at("spec", "updateStrategy", "rollingUpdate", "maxUnavailable");
        long desired = number(daemonSet.at("status"), "desiredNumberScheduled");
        long allowed = most.integer()
                .orElseGet(() -> most.text()
                        .filter(text -> text.matches("\\d{1,3}%"))
                        .map(text -> Math.ceilDiv(desired * Long.parseLong(text.replace("%", "")), 100L))
                        .orElse(1L));
        return allowed > 0 && unavailable >= allowed;
    }

    private static String node(Json pod) {
        return pod.at("spec", "nodeName").text().orElse("");
    }

    private static long number(Json value, String field) {
        return value.at(field).integer().orElse(0);
    }
}
