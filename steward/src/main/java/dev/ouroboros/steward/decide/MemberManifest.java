package dev.ouroboros.steward.decide;

import dev.ouroboros.model.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Whether a node's member has the wished manifest: {@code status.etcd.manifests}, in which each steward reports on its own node.
 *
 * @param generation of the object whose wish it was compared with
 * @param message why it stayed as it is; empty unless that failed
 * @param startsAlone whether the member, started without data, would begin an etcd of its own
 * @param isSilent whether the member, which others do not reach, does not answer on its own node either
 * @param defragmentation the last one; empty before the first
 */
public record MemberManifest(
        String node,
        long generation,
        State state,
        String message,
        boolean startsAlone,
        boolean isSilent,
        Optional<Defragmentation> defragmentation) {
    /**
     * The last defragmentation.
     *
     * @param at when it ended, by the clock of its node
     * @param failure why it failed; empty text when it did not
     */
    public record Defragmentation(Instant at, String failure) {
        private static final Duration REST = Duration.ofHours(1);

        /**
         * Whether the last defragmentation is too recent for another one: requests wait for it each time. A time in the future is from before the
         * clock was set back.
         */
        public boolean isRecent(Instant now) {
            return at.plus(REST).isAfter(now) && !at.isAfter(now.plus(REST));
        }
    }

    private static final String MESSAGE = "message";
    private static final String DEFRAGMENTATION = "defragmentation";

    /** How it stands. */
    public enum State {
        /** It is as wished, or nothing is wished. */
        CURRENT("Current"),
        OUTDATED("Outdated"),
        /** The member did not run with what is wished, and has its former manifest again. Another wish will be tried. */
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
                manifest.at(MESSAGE).text().orElse(""),
                manifest.at("startsAlone").isTrue(),
                manifest.at("silent").isTrue(),
                defragmentation(manifest.at(DEFRAGMENTATION)));
    }

    private static Optional<Defragmentation> defragmentation(Json told) {
        return WrittenMoment.of(told.at("time"))
                .map(at -> new Defragmentation(at, told.at(MESSAGE).text().orElse("")));
    }

    Json.Fields json() {
        Json.Fields fields = Json.object()
                .with("node", Json.text(node))
                .with("generation", Json.number(generation))
                .with("state", Json.text(state.word))
                .with("startsAlone", Json.bool(startsAlone))
                .with("silent", Json.bool(isSilent));
        if (defragmentation.isPresent()) {
            Json.Fields last = Json.object()
                    .with("time", Json.text(defragmentation.get().at().toString()));
            String failure = defragmentation.get().failure();
            // API servers of 1.20 refuse an empty text.
            fields = fields.with(DEFRAGMENTATION, failure.isEmpty() ? last : last.with(MESSAGE, Json.text(failure)));
        }
        return message.isEmpty() ? fields : fields.with(MESSAGE, Json.text(message));
    }
}
