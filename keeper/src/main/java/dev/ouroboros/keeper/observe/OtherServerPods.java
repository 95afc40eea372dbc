package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The API server's pods on other nodes, while some may be of an earlier template: what this node's server is changed to serves beside
 * theirs too. They are read once for a template and then whenever one more was made from it, which leaves fewer that can stand against it;
 * so nothing is missed between two looks.
 */
final class OtherServerPods {
    private final Api client;
    private final ClusterGuard guard;
    private final String nodeName;
    private final Signal changed;
    private volatile Optional<Read> last = Optional.empty();
    private volatile String missing = "not read yet";

    /** What the DaemonSet says when pods are read; they are read again when it says something else. */
    private record Occasion(Json template, boolean current, long replicas, long updated) {
        static Occasion of(ControllerSeen controller) {
            return new Occasion(
                    templateOf(controller), controller.current(), controller.replicas(), controller.updated());
        }
    }

    private record Read(Occasion occasion, SortedMap<String, Json> pods) {}

    OtherServerPods(Api client, ClusterGuard guard, String nodeName, Signal changed) {
        this.client = client;
        this.guard = guard;
        this.nodeName = nodeName;
        this.changed = changed;
    }

    private static Json templateOf(ControllerSeen controller) {
        return controller.object().map(set -> set.at("spec", "template")).orElse(Json.absent());
    }

    private static boolean mayDiffer(ControllerSeen controller) {
        return controller.replicas() > 1 && controller.hasOutdatedPods();
    }

    /** @param controller the API server's DaemonSet */
    void look(ControllerSeen controller) {
        Occasion now = Occasion.of(controller);
        if (!mayDiffer(controller)) {
            last = Optional.empty();
        } else if (last.filter(read -> read.occasion().equals(now)).isEmpty()) {
            try {
                guard.require();
                last = Optional.of(new Read(now, Collections.unmodifiableSortedMap(read(controller.podSelector()))));
                changed.raise();
            } catch (ApiException e) {
                missing = String.valueOf(e.getMessage());
            }
        }
    }

    private SortedMap<String, Json> read(String labels) throws ApiException {
        SortedMap<String, Json> pods = new TreeMap<>();
        ApiPath path = ApiPath.core(Belonging.SYSTEM, "pods").with("labelSelector", labels);
        for (Json pod : client.get(path).at("items").items()) {
            String node = pod.at("spec", "nodeName").text().orElse("");
            PodSummary summary = PodSummary.of(pod);
            // One that is terminating may serve for a minute still.
            if (!node.isEmpty()
                    && !node.equals(nodeName)
                    && !summary.identity().isStatic()
                    && !summary.pod().failed()) {
                summary.object()
                        .ifPresent(object -> pods.put(node + "/" + summary.pod().name(), object));
            }
        }
        return pods;
    }

    /** Their pods by node and name; none where all are known to be of the present template. */
    Evidence<SortedMap<String, Json>> of(ControllerSeen controller) {
        if (!mayDiffer(controller)) {
            return Evidence.known(Collections.emptySortedMap());
        }
        Json template = templateOf(controller);
        return last.filter(read -> read.occasion().template().equals(template))
                .map(read -> Evidence.known(read.pods()))
                .orElseGet(() -> Evidence.unknown("pods of the API server on other nodes: " + missing));
    }
}
