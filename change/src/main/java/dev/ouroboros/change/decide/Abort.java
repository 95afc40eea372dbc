package dev.ouroboros.change.decide;

import dev.ouroboros.keeper.template.Template;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.ReadyCondition;
import dev.ouroboros.model.manifest.RevisionHash;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Takes a change back: gives the workload the template that most of the ready pods have, however many bad templates were set since; when
 * the ready pods have the new template, the one before it. Most, because a change goes from node to node: one that failed on the second has
 * left a ready pod on the first. {@code kubectl rollout undo} gives the template that was set before, even
 * if that one is as bad.
 */
public final class Abort {
    private static final String REPLICA_SET_HASH = "pod-template-hash";
    private static final String REVISION = "deployment.kubernetes.io/revision";

    private Abort() {}

    /**
     * A template that a workload had.
     *
     * @param ready how many pods of it are
     */
    private record Former(long number, long ready, boolean isRunning, Json template) {}

    /**
     * The API server's DaemonSet with the template to go back to.
     *
     * @param pods of the DaemonSet
     * @param revisions its ControllerRevisions
     * @throws ProblemException CHANGE_REFUSED when nothing is to be taken back
     */
    public static Json.Fields of(Json daemonSet, List<Json> pods, List<Json> revisions) {
        Set<String> running = hashes(pods.stream()).keySet();
        Map<String, Long> ready = hashes(pods.stream().filter(ReadyCondition::holds));
        return back(
                daemonSet,
                Rollout.ofDaemonSet(daemonSet),
                revisions.stream()
                        .map(revision -> new Former(
                                revision.at("revision").integer().orElse(0),
                                ready.getOrDefault(hash(revision), 0L),
                                running.contains(hash(revision)),
                                revision.at("data", "spec", "template")))
                        .toList());
    }

    /**
     * A Deployment with the template to go back to.
     *
     * @param replicaSets of the Deployment
     * @throws ProblemException CHANGE_REFUSED when nothing is to be taken back
     */
    public static Json.Fields ofDeployment(Json deployment, List<Json> replicaSets) {
        return back(
                deployment,
                Rollout.ofDeployment(deployment),
                replicaSets.stream()
                        .map(set -> new Former(
                                set.at("metadata", "annotations", REVISION)
                                        .text()
                                        .filter(text -> text.matches("\\d{1,18}"))
                                        .map(Long::parseLong)
                                        .orElse(0L),
                                set.at("status", "readyReplicas").integer().orElse(0),
                                set.at("status", "replicas").integer().orElse(0) > 0,
                                withoutHash(set.at("spec", "template"))))
                        .toList());
    }

    private static Json.Fields back(Json workload, Rollout rollout, List<Former> formers) {
        if (rollout instanceof Rollout.Settled) {
            throw refused(workload, "no change is under way");
        }
        List<Former> newestFirst = formers.stream()
                .sorted(Comparator.comparingLong(Former::number).reversed())
                .toList();
        Json template = Stream.of(
                        newestFirst.stream()
                                .filter(former -> former.ready() > 0)
                                // Stable: of those with as many the newest stays the first.
                                .sorted(Comparator.comparingLong(Former::ready).reversed()),
                        newestFirst.stream().filter(Former::isRunning),
                        newestFirst.stream())
                .flatMap(former -> former)
                .map(Former::template)
                .filter(former -> !Template.areSame(former, workload.at("spec", "template")))
                .findFirst()
                .orElseThrow(() -> refused(workload, "no template of before is known"));
        Json.Fields spec = (Json.Fields) workload.at("spec");
        return ((Json.Fields) workload).with("spec", spec.with("template", ((Json.Fields) template).without("$patch")));
    }

    private static ProblemException refused(Json workload, String what) {
        return ProblemException.of(
                ErrorCode.CHANGE_REFUSED,
                workload.at("kind").text().orElse("DaemonSet") + " kube-system/"
                        + workload.at("metadata", "name").text().orElse(Component.API_SERVER.id()),
                what,
                "a change that can be taken back",
                "behind a change that is done goes kubectl rollout undo --to-revision=N, with an N of kubectl rollout history; without N it"
                        + " gives what was asked for before, good or bad");
    }

    /** How many pods there are of each template. */
    private static Map<String, Long> hashes(Stream<Json> pods) {
        return pods.flatMap(pod -> RevisionHash.of(pod).stream())
                .collect(Collectors.groupingBy(hash -> hash, Collectors.counting()));
    }

    private static String hash(Json revision) {
        return RevisionHash.of(revision).orElse("");
    }

    /** The Deployment controller adds a label. */
    private static Json withoutHash(Json template) {
        if (!(template instanceof Json.Fields fields) || !(template.at("metadata") instanceof Json.Fields metadata)) {
            return template;
        }
        Map<String, Json> labels = new TreeMap<>(metadata.at("labels").fields());
        labels.remove(REPLICA_SET_HASH);
        return fields.with("metadata", metadata.with("labels", new Json.Fields(labels)));
    }
}
