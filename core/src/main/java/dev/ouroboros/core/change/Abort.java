package dev.ouroboros.core.change;

import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Takes a change of a DaemonSet back: gives the template of the pods that run, or, when these are of the new one, the one before it. */
public final class Abort {
    private static final String HASH = "controller-revision-hash";

    private Abort() {}

    /**
     * The DaemonSet with the template of before.
     *
     * @param pods of the DaemonSet
     * @param revisions its ControllerRevisions
     * @throws ProblemException CHANGE_REFUSED when nothing is to be taken back
     */
    public static Json.Fields of(Json daemonSet, List<Json> pods, List<Json> revisions) {
        List<Json> newestFirst = revisions.stream()
                .sorted(Comparator.comparingLong(Abort::number).reversed())
                .toList();
        if (Rollout.ofDaemonSet(daemonSet) instanceof Rollout.Settled) {
            throw refused("no change is under way");
        }
        Set<String> running = new HashSet<>();
        pods.forEach(pod -> pod.at("metadata", "labels", HASH).text().ifPresent(running::add));
        Optional<Json> before = Stream.concat(
                        newestFirst.stream().filter(revision -> running.contains(hash(revision))), newestFirst.stream())
                .filter(revision ->
                        !Template.areSame(revision.at("data", "spec", "template"), daemonSet.at("spec", "template")))
                .findFirst();
        Json template = before.orElseThrow(() -> refused("no template of before is known"))
                .at("data", "spec", "template");
        Json.Fields spec = (Json.Fields) daemonSet.at("spec");
        return ((Json.Fields) daemonSet)
                .with("spec", spec.with("template", ((Json.Fields) template).without("$patch")));
    }

    private static ProblemException refused(String what) {
        return ProblemException.of(
                ErrorCode.CHANGE_REFUSED,
                "DaemonSet kube-system/kube-apiserver",
                what,
                "a change that can be taken back",
                "kubectl rollout undo goes back behind a change that is done");
    }

    private static long number(Json revision) {
        return revision.at("revision").integer().orElse(0);
    }

    private static String hash(Json revision) {
        return revision.at("metadata", "labels", HASH).text().orElse("");
    }
}
