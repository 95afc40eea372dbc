package dev.ouroboros.change.decide;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.util.Optional;

/**
 * One change of kubelets, as each Node says that it has reached.
 *
 * @param begun when, as in RFC 3339: the same on all nodes, and also where it was killed and begun again
 * @param digest of what was asked for
 * @param before the text of what its kubelet ran as before; empty where that was as the node was made
 * @param isTakenBack whether the node has that again
 * @param isStewards whether the steward makes it, and no command
 */
public record KubeletChange(String begun, String digest, String before, boolean isTakenBack, boolean isStewards) {
    /** Reads an annotation; empty when it is none of ours. */
    static Optional<KubeletChange> read(String text) {
        try {
            Json json = JsonText.read(text);
            return json.at("begun")
                    .text()
                    .map(begun -> new KubeletChange(
                            begun,
                            json.at("digest").text().orElse(""),
                            json.at("before").text().orElse(""),
                            json.at("takenBack").isTrue(),
                            json.at("steward").isTrue()));
        } catch (MalformedJson e) {
            return Optional.empty();
        }
    }

    /** The text of the annotation. */
    public String text() {
        return JsonText.text(Json.object()
                .with("begun", Json.text(begun))
                .with("digest", Json.text(digest))
                .with("before", Json.text(before))
                .with("takenBack", Json.bool(isTakenBack))
                .with("steward", Json.bool(isStewards)));
    }

    /** The same on a node that has again what it had before: that is a command's work. */
    public KubeletChange takenBack() {
        return new KubeletChange(begun, digest, before, true, false);
    }

    /** Whether both are one. */
    public boolean isSameAs(KubeletChange other) {
        return begun.equals(other.begun) && digest.equals(other.digest);
    }
}
