package dev.ouroboros.steward.decide;

import dev.ouroboros.model.json.Json;
import java.util.Optional;

/**
 * How a node's own part in a change of members goes: {@code status.etcd.jobs}.
 *
 * @param isFailed whether it was not done when it was tried last
 * @param message what is done or waited for, or why it failed
 */
public record NodeJob(String node, boolean isFailed, String message) {
    /** As the status has it. */
    public static Optional<NodeJob> of(ControlPlaneObject object, String node) {
        return object.status().at("etcd", "jobs").items().stream()
                .filter(job -> job.at("node").equals(Json.text(node)))
                .map(job -> new NodeJob(
                        node,
                        job.at("failed").isTrue(),
                        job.at("message").text().orElse("")))
                .findFirst();
    }

    Json.Fields json() {
        return Json.object()
                .with("node", Json.text(node))
                .with("failed", Json.bool(isFailed))
                .with("message", Json.text(message));
    }
}
