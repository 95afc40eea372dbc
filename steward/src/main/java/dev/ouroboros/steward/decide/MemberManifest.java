package dev.ouroboros.steward.decide;

import dev.ouroboros.model.json.Json;
import java.util.Optional;

/**
 * Whether the manifest of a node's member is as is wished: {@code status.etcd.manifests}, in which each steward says it of its own node.
 *
 * @param generation of the object whose wish it was compared with
 * @param message why it stayed as it is; empty unless that failed
 * @param startsAlone whether the member, started without data, would begin an etcd of its own
 * @param isSilent whether the member, which others do not reach, does not answer on its own node either
 */
public record MemberManifest(
        String node, long generation, State state, String message, boolean startsAlone, boolean isSilent) {
    /** How it stands. */
    public enum State {
        /** It has what is wished, or nothing is wished. */
        CURRENT("Current"),
        OUTDATED("Outdated"),
        /** The member did not run with what is wished, and has its former manifest. Another wish is tried. */
        FAILED("Failed");

        private final String word;

        State(String word) {
            this.word = word;
        }
    }

    /** As the status has it. */
    public static Optional<MemberManifest> of(ControlPlaneObject object, String node) {
        return object.status().at("etcd", "manifests").items().stream()
                .filter(manifest -> manifest.at("node").equals(Json.text(node)))
                .map(MemberManifest::of)
                .findFirst();
    }

    private static MemberManifest of(Json manifest) {
        String word = manifest.at("state").text().orElse("");
        State state = State.OUTDATED;
        for (State each : State.values()) {
            state = each.word.equals(word) ? each : state;
        }
        return new MemberManifest(
                manifest.at("node").text().orElse(""),
                manifest.at("generation").integer().orElse(0),
                state,
                manifest.at("message").text().orElse(""),
                manifest.at("startsAlone").isTrue(),
                manifest.at("silent").isTrue());
    }

    Json.Fields json() {
        Json.Fields fields = Json.object()
                .with("node", Json.text(node))
                .with("generation", Json.number(generation))
                .with("state", Json.text(state.word))
                .with("startsAlone", Json.bool(startsAlone))
                .with("silent", Json.bool(isSilent));
        return message.isEmpty() ? fields : fields.with("message", Json.text(message));
    }
}
