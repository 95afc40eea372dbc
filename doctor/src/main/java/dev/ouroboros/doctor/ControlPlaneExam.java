package dev.ouroboros.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What {@code ControlPlane/cluster} says of itself. */
final class ControlPlaneExam {
    private static final String CHECK = Ailment.CONTROL_PLANE_IS_STALLED.check();

    /** A steward on a slow machine needs so long to start. */
    private static final Duration BOOTS = Duration.ofMinutes(5);

    private ControlPlaneExam() {}

    /** @param object empty inside where there is none */
    static List<Finding> of(Evidence<Optional<Json>> object, Instant now) {
        return switch (object) {
            case Unknown<Optional<Json>>(String why) -> List.of(Finding.unknown(CHECK, why));
            case Known<Optional<Json>>(Optional<Json> found) ->
                found.map(wished -> judge(wished, now)).stream().toList();
        };
    }

    private static Finding judge(Json object, Instant now) {
        Optional<Json> ready = condition(object, "Ready");
        if (ready.isEmpty() && isNew(object, now)) {
            return Finding.ok(CHECK, "a moment old: no steward has said anything of it yet");
        }
        if (ready.isEmpty()) {
            return Ailment.CONTROL_PLANE_IS_STALLED.seen("no steward has said anything of ControlPlane/cluster");
        }
        String message = ready.get().at("message").text().orElse("");
        boolean isStalled = condition(object, "Stalled")
                .filter(stalled -> stalled.at("status").equals(Json.text("True")))
                .isPresent();
        return isStalled ? Ailment.CONTROL_PLANE_IS_STALLED.seen(message) : Finding.ok(CHECK, message);
    }

    private static boolean isNew(Json object, Instant now) {
        return object.at("metadata", "creationTimestamp")
                .text()
                .filter(text -> Instant.parse(text).plus(BOOTS).isAfter(now))
                .isPresent();
    }

    private static Optional<Json> condition(Json object, String type) {
        return object.at("status", "conditions").items().stream()
                .filter(condition -> condition.at("type").equals(Json.text(type)))
                .findFirst();
    }
}
