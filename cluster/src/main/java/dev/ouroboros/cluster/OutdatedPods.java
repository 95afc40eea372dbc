package dev.ouroboros.cluster;

import dev.ouroboros.api.Api.Grace;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.RevisionHash;
import dev.ouroboros.model.manifest.WorkloadReference;
import dev.ouroboros.model.problem.ProblemException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Pods of a DaemonSet that were made from another template than its present one. The DaemonSet's controller keeps a ControllerRevision of each
 * template; the present one's has the highest number, also after a way back to an older template. The controller labels each pod with the revision's
 * hash ({@code apps.DefaultDaemonSetUniqueLabelKey}). Until it has taken up a new template no pod counts as outdated by it: only a controller that
 * has would make the next pod from it.
 */
public final class OutdatedPods {

    private OutdatedPods() {}

    /** The hash of the present template; empty until the controller has taken it up. */
    static Optional<String> askedFor(Json set, Collection<Json> revisions) {
        return revisions.stream()
                .filter(revision -> Metadata.isOwnedBy(set, revision))
                .max(Comparator.comparingLong(
                        revision -> revision.at("revision").integer().orElse(0)))
                .flatMap(OutdatedPods::hash);
    }

    /** Whether the pod belongs to the set and to this node, is not being deleted, and is of another template. A pod without a hash is not judged. */
    static boolean includes(Json set, Optional<String> askedFor, String node, Json pod) {
        return Metadata.isOwnedBy(set, pod)
                && pod.at("metadata", "deletionTimestamp").isNull()
                && pod.at("spec", "nodeName").equals(Json.text(node))
                && askedFor.isPresent()
                && hash(pod).filter(made -> !made.equals(askedFor.get())).isPresent();
    }

    /**
     * Deletes a node's outdated pods, with the grace period that each asks for. Done again, it does nothing.
     *
     * @param workload a DaemonSet; one that does not exist has no pods
     * @param node only pods of this one
     * @return the names of those it deleted
     * @throws ProblemException API_UNAVAILABLE when the server cannot be asked, API_REFUSED when it refuses
     */
    public static List<String> delete(ClusterClient client, WorkloadReference workload, String node) {
        return client.asking("pods of " + workload.path(), () -> {
            try {
                return delete(client, client.api().get(Workloads.path(workload)), workload, node);
            } catch (ApiException e) {
                if (e.kind() == Kind.NOT_FOUND) {
                    return List.of();
                }
                throw e;
            }
        });
    }

    private static List<String> delete(ClusterClient client, Json set, WorkloadReference workload, String node)
            throws ApiException {
        ApiPath all = ApiPath.core(workload.namespace(), "pods");
        // The pods are listed first: one that is made after that, from a template that is newer, is not among them.
        List<Json> pods = selected(client, all, set);
        Optional<String> askedFor = askedFor(
                set, selected(client, ApiPath.of("apps/v1", workload.namespace(), "controllerrevisions"), set));
        List<Json> outdated =
                pods.stream().filter(pod -> includes(set, askedFor, node, pod)).toList();
        for (Json pod : outdated) {
            client.deleteIfThere(all.named(Metadata.name(pod)), Metadata.uid(pod), Grace.ITS_OWN);
        }
        return outdated.stream().map(Metadata::name).toList();
    }

    private static List<Json> selected(ClusterClient client, ApiPath all, Json set) throws ApiException {
        Map<String, String> labels = Metadata.texts(set.at("spec", "selector", "matchLabels"));
        String selector = labels.entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(","));
        return client.api().get(all.with("labelSelector", selector)).at("items").items();
    }

    private static Optional<String> hash(Json object) {
        return RevisionHash.of(object);
    }
}
