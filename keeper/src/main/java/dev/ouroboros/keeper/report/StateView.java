package dev.ouroboros.keeper.report;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.keeper.ComponentName;
import dev.ouroboros.core.keeper.ComponentSeen;
import dev.ouroboros.core.keeper.Observation;
import dev.ouroboros.core.keeper.Slots;
import dev.ouroboros.core.keeper.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Where everything stands, as {@code ouro status} reads it. */
public final class StateView {
    private StateView() {}

    /**
     * What is not as it should be.
     *
     * @param unknown everything that is not known, with its reason
     * @param unverified the older API server after which the newest one was not verified yet
     * @param failing actions, with the reason
     * @param problems files on the disk that were left alone
     */
    public record Troubles(
            Map<String, String> unknown,
            Optional<String> unverified,
            Map<String, String> failing,
            List<Json> problems) {}

    /**
     * @param now by the clock of the statuses
     * @param wall what people call this moment
     */
    public static Json of(
            String node,
            Observation seen,
            Map<ComponentName, Status> statuses,
            Troubles troubles,
            Instant now,
            Instant wall) {
        Map<String, Json> components = new TreeMap<>();
        seen.components().forEach((name, component) -> {
            Status status = statuses.get(name);
            if (status != null) {
                components.put(name.toString(), component(component, status, now, wall));
            }
        });
        return Json.object()
                .with("node", Json.text(node))
                .with("at", Json.text(wall.toString()))
                .with("staticCopy", Json.bool(seen.staticCopy()))
                .with("front", evidence(seen.front()))
                .with("start", evidence(seen.start()))
                .with("serviceEndpoints", evidence(seen.serviceEndpoints()))
                .with("nodeObject", evidence(seen.node()))
                .with("components", new Json.Fields(components))
                .with("unknown", texts(troubles.unknown()))
                .with(
                        "unverifiedAfter",
                        troubles.unverified().<Json>map(Json::text).orElseGet(Json::absent))
                .with("failing", texts(troubles.failing()))
                .with("problems", Json.items(troubles.problems().stream()));
    }

    private static Json texts(Map<String, String> values) {
        Json.Fields fields = Json.object();
        for (Map.Entry<String, String> value : new TreeMap<>(values).entrySet()) {
            fields = fields.with(value.getKey(), Json.text(value.getValue()));
        }
        return fields;
    }

    private static Json component(ComponentSeen seen, Status status, Instant now, Instant wall) {
        return Json.object()
                .with("role", Json.text(seen.role().name()))
                .with("condition", Json.text(status.condition().name()))
                .with("description", Json.text(status.condition().description()))
                .with("waitsFor", Json.text(status.waitsFor()))
                .with(
                        "since",
                        Json.text(wall.minus(Duration.between(status.since(), now))
                                .toString()))
                .with("lastGood", slot(seen.slots(), true))
                .with("candidate", slot(seen.slots(), false))
                .with("principal", evidence(seen.principal()))
                .with("principalRuns", evidence(seen.principalRuns()))
                .with("understudy", evidence(seen.understudy()))
                .with("understudyRuns", evidence(seen.understudyRuns()))
                .with("manifest", evidence(seen.manifest()))
                .with("belongs", evidence(seen.belongs()))
                .with("material", evidence(seen.material()));
    }

    private static Json slot(Evidence<Slots> slots, boolean lastGood) {
        return switch (slots) {
            case Evidence.Unknown<Slots>(String reason) -> unknown(reason);
            case Evidence.Known<Slots>(Slots known) ->
                (lastGood ? known.lastGood() : known.candidate())
                        .<Json>map(revision -> Json.text(revision.digest()))
                        .orElseGet(Json::absent);
        };
    }

    private static Json evidence(Evidence<?> evidence) {
        return switch (evidence) {
            case Evidence.Unknown<?>(String reason) -> unknown(reason);
            case Evidence.Known<?>(Object value) -> Json.text(String.valueOf(value));
        };
    }

    private static Json unknown(String reason) {
        return Json.object().with("unknown", Json.text(reason));
    }
}
