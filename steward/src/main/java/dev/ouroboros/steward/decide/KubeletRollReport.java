package dev.ouroboros.steward.decide;

import dev.ouroboros.model.json.Json;
import java.util.Optional;

/**
 * How the kubelets of a cluster stand, as the status of {@code ControlPlane/cluster} has it, by the steward that leads.
 *
 * @param generation of the object that it is about
 * @param message what is waited for or why it came to nothing; empty when there is nothing to say
 */
public record KubeletRollReport(State state, long generation, String message) {
    /** The state of all nodes together. */
    public enum State {
        /** Every node has the wished kubelet. */
        CURRENT("Current"),
        /** Nodes get it, one after the other. */
        ROLLING("Rolling"),
        /** A node did not run with it, or is away: no other node is touched. */
        FAILED("Failed");

        private final String word;

        State(String word) {
            this.word = word;
        }
    }

    /** As the status has it. */
    public static Optional<KubeletRollReport> of(ControlPlaneObject object) {
        Json said = object.status().at("kubelet");
        for (State state : State.values()) {
            if (said.at("state").equals(Json.text(state.word))) {
                return Optional.of(new KubeletRollReport(
                        state,
                        said.at("generation").integer().orElse(0),
                        said.at("message").text().orElse("")));
            }
        }
        return Optional.empty();
    }

    Json.Fields json() {
        Json.Fields fields =
                Json.object().with("state", Json.text(state.word)).with("generation", Json.number(generation));
        // API servers of 1.20 take an empty text for null.
        return message.isEmpty() ? fields : fields.with("message", Json.text(message));
    }
}
