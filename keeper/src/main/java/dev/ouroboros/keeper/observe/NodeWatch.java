package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.Reflector;
import dev.ouroboros.keeper.decide.CheckpointSummary;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;

/** The one watch that a daemon has of its own Node. */
public final class NodeWatch {
    private final Reflector<Version> versions;
    private final Runnable changed;
    private final AtomicReference<Evidence<Optional<NodeObject>>> last;

    /**
     * The Node object, as far as decisions need it.
     *
     * @param uid for Events
     * @param checkpoints what the Node's annotation says of checkpoints; empty when it has none
     */
    record NodeObject(String uid, Map<String, String> labels, String kubelet, Optional<String> checkpoints) {
        NodeObject {
            labels = Map.copyOf(labels);
        }

        static NodeObject of(Json node) {
            Map<String, String> labels = new TreeMap<>();
            node.at("metadata", "labels")
                    .fields()
                    .forEach((key, value) -> labels.put(key, value.text().orElse("")));
            return new NodeObject(
                    node.at("metadata", "uid").text().orElse(""),
                    labels,
                    node.at("status", "nodeInfo", "kubeletVersion").text().orElse(""),
                    node.at("metadata", "annotations", CheckpointSummary.ANNOTATION)
                            .text());
        }
    }

    /** @param resourceVersion another one with each heartbeat of the kubelet */
    private record Version(NodeObject node, String resourceVersion) {}

    /**
     * To be followed by {@link #follow}.
     *
     * @param changed called when the Node has changed, or is not known any more; not for a heartbeat, which would end the keeper's rest
     */
    public NodeWatch(Api client, ClusterGuard guard, String nodeName, Runnable changed) {
        this.changed = changed;
        this.versions = new Reflector<>(
                "node",
                client,
                guard,
                ApiPath.core("nodes").with("fieldSelector", "metadata.name=" + nodeName),
                node -> new Version(NodeObject.of(node), resourceVersion(node)),
                this::compare,
                Reflector.Times.DEFAULT);
        this.last = new AtomicReference<>(node());
    }

    /** The {@code resourceVersion} of a Node. */
    public static String resourceVersion(Json node) {
        return node.at("metadata", "resourceVersion").text().orElse("");
    }

    private void compare() {
        Evidence<Optional<NodeObject>> now = node();
        if (!last.getAndSet(now).equals(now)) {
            changed.run();
        }
    }

    /** As {@link Reflector#follow}. */
    public Duration follow() {
        return versions.follow();
    }

    /** Empty when there is no Node of our name. */
    Evidence<Optional<NodeObject>> node() {
        return latest().map(found -> found.map(Version::node));
    }

    /** The Node's {@code resourceVersion}; empty while it is not known, or there is no such Node. */
    public Optional<String> resourceVersion() {
        return latest().orElse(Optional.empty()).map(Version::resourceVersion);
    }

    private Evidence<Optional<Version>> latest() {
        return versions.value().map(nodes -> nodes.values().stream().findFirst());
    }
}
