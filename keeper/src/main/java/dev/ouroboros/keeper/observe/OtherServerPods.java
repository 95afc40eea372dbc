package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The API server's pods on other nodes, while some may be of an earlier template: what this node's server is changed to serves beside
 * theirs too. They are read once for each state of the DaemonSet, and every {@link #READ_EVERY} after that: a node that is taken away takes its
 * pod with it later than the DaemonSet tells. An understudy that serves in the place of another node's pod is not among them: it is of what
 * served there before.
 */
final class OtherServerPods {
    private static final Duration READ_EVERY = Duration.ofSeconds(10);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    private final Api client;
    private final ClusterGuard guard;
    private final String nodeName;
    private final InstantSource clock;
    private final Signal changed;
    private volatile Read last;

    /** What the DaemonSet says when pods are read. */
    private record Occasion(String uid, Json generation, Json template, boolean current, long replicas, long updated) {
        static final Occasion NONE = new Occasion("", Json.absent(), Json.absent(), false, 0, 0);

        static Occasion of(ControllerSeen controller) {
            Json.Fields set = controller.object().orElseGet(Json::object);
            return new Occasion(
                    TemplateSource.uid(set),
                    set.at("metadata", "generation"),
                    set.at("spec", "template"),
                    controller.current(),
                    controller.replicas(),
                    controller.updated());
        }

        boolean isOfTheSameTemplate(Occasion other) {
            return uid.equals(other.uid())
                    && generation.equals(other.generation())
                    && template.equals(other.template());
        }
    }

    private record Read(Occasion occasion, Evidence<SortedMap<String, Json>> pods, Instant next) {}

    OtherServerPods(Api client, ClusterGuard guard, String nodeName, InstantSource clock, Signal changed) {
        this.client = client;
        this.guard = guard;
        this.nodeName = nodeName;
        this.clock = clock;
        this.changed = changed;
        this.last = new Read(Occasion.NONE, Evidence.unknown("not read yet"), Instant.MIN);
    }

    private static boolean mayDiffer(ControllerSeen controller) {
        return controller.replicas() > 1 && controller.hasOutdatedPods();
    }

    /** @param controller the API server's DaemonSet */
    void look(ControllerSeen controller) {
        Occasion now = Occasion.of(controller);
        Read before = last;
        boolean isDue = !before.occasion().equals(now) || !clock.instant().isBefore(before.next());
        if (mayDiffer(controller) && isDue) {
            Read fresh = read(controller.podSelector(), now, before);
            last = fresh;
            if (!fresh.pods().equals(before.pods())) {
                changed.raise();
            }
        }
    }

    /** What was read for the same template counts while the API does not answer: none becomes one of an earlier template. */
    private Read read(String labels, Occasion now, Read before) {
        try {
            guard.require();
            return new Read(now, Evidence.known(read(labels)), clock.instant().plus(READ_EVERY));
        } catch (ApiException e) {
            Evidence<SortedMap<String, Json>> known = before.occasion().isOfTheSameTemplate(now)
                    ? before.pods()
                    : Evidence.unknown("pods of the API server on other nodes: " + e.getMessage());
            return new Read(now, known, clock.instant().plus(e.pause(RETRY_AFTER)));
        }
    }

    /** From the server's memory: a list that is up to date would be one of all pods of the namespace, read from etcd. */
    private SortedMap<String, Json> read(String labels) throws ApiException {
        SortedMap<String, Json> pods = new TreeMap<>();
        ApiPath path = ApiPath.core(Belonging.SYSTEM, "pods")
                .with("labelSelector", labels)
                .with("resourceVersion", "0");
        for (Json pod : client.get(path).at("items").items()) {
            String node = pod.at("spec", "nodeName").text().orElse("");
            PodSummary summary = PodSummary.of(pod);
            // One that is terminating may serve for a minute still.
            if (!node.isEmpty() && !node.equals(nodeName) && !summary.pod().failed()) {
                summary.object()
                        .ifPresent(object -> pods.put(node + "/" + summary.pod().name(), object));
            }
        }
        return Collections.unmodifiableSortedMap(pods);
    }

    /** Their pods by node and name; none where there is one control-plane node, or all pods are of the present template. */
    Evidence<SortedMap<String, Json>> of(ControllerSeen controller) {
        if (!mayDiffer(controller)) {
            return Evidence.known(Collections.emptySortedMap());
        }
        return last.occasion().isOfTheSameTemplate(Occasion.of(controller))
                ? last.pods()
                : Evidence.unknown("pods of the API server on other nodes: not read yet");
    }
}
