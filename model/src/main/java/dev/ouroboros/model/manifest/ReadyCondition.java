package dev.ouroboros.model.manifest;

import dev.ouroboros.model.json.Json;
import java.time.Instant;
import java.util.Optional;

/** The condition Ready of a pod or a Node. */
public final class ReadyCondition {
    private static final Json READY = Json.text("Ready");
    private static final Json TRUE = Json.text("True");
    private static final Json UNKNOWN = Json.text("Unknown");

    private ReadyCondition() {}

    /** Whether it is True. Unknown, False, or no such condition: it is not. */
    public static boolean holds(Json object) {
        return has(object, TRUE);
    }

    /** Whether it is Unknown: a node's kubelet has said nothing for as long as the controller manager lets one be silent. */
    public static boolean isUnknown(Json object) {
        return has(object, UNKNOWN);
    }

    /** Since when it is True; empty when it is not, or nobody says. */
    public static Optional<Instant> since(Json object) {
        return object.at("status", "conditions").items().stream()
                .filter(condition -> condition.at("type").equals(READY)
                        && condition.at("status").equals(TRUE))
                .flatMap(condition -> condition.at("lastTransitionTime").text().stream())
                .findFirst()
                .map(Instant::parse);
    }

    private static boolean has(Json object, Json status) {
        return object.at("status", "conditions").items().stream()
                .anyMatch(condition -> condition.at("type").equals(READY)
                        && condition.at("status").equals(status));
    }
}
