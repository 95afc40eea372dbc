package dev.ouroboros.keeper.report;

import dev.ouroboros.keeper.decide.ChangeRecord;
import dev.ouroboros.keeper.decide.ChangeSeen;
import dev.ouroboros.keeper.decide.ChangeStatus;
import dev.ouroboros.keeper.decide.ChangeStep;
import dev.ouroboros.keeper.decide.ComponentSeen;
import dev.ouroboros.keeper.decide.Observation;
import dev.ouroboros.keeper.decide.Status;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
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
     * @param wall the same moment by the wall clock
     */
    public static Json.Fields of(
            String node,
            Observation seen,
            Map<ComponentName, Status> statuses,
            Troubles troubles,
            ChangeStatus change,
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
                .with("successor", evidence(seen.self().successor()))
                .with("front", evidence(seen.front()))
                .with("start", evidence(seen.start()))
                .with("serviceEndpoints", evidence(seen.serviceEndpoints()))
                .with("nodeObject", evidence(seen.node()))
                .with("components", new Json.Fields(components))
                .with("change", change(seen.change(), change, now, wall))
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

    private static Json change(ChangeSeen seen, ChangeStatus status, Instant now, Instant wall) {
        ChangeRecord record = seen.record().orElse(ChangeRecord.NONE);
        boolean none = status.step() == ChangeStep.NONE;
        return Json.object()
                .with("state", Json.text(status.step().word()))
                .with("description", Json.text(status.step().description()))
                .with("revision", revision(status.revision()))
                .with("message", Json.text(status.message()))
                .with("progress", Json.text(status.progress()))
                .with("since", none ? Json.absent() : Json.text(wallTime(status.since(), now, wall)))
                .with("proven", revision(record.proven().map(ChangeRecord.Proven::revision)))
                .with(
                        "failures",
                        Json.items(record.failures().stream()
                                .map(failure -> Json.object()
                                        .with(
                                                "revision",
                                                Json.text(failure.revision().digest()))
                                        .with("message", Json.text(failure.message())))))
                .with("lease", evidence(seen.lease()))
                .with("principalProof", evidence(seen.principal()))
                .with("understudyProof", evidence(seen.understudy()))
                .with("target", evidence(seen.target()));
    }

    private static Json revision(Optional<Revision> revision) {
        return revision.<Json>map(known -> Json.text(known.digest())).orElseGet(Json::absent);
    }

    private static String wallTime(Instant since, Instant now, Instant wall) {
        return wall.minus(Duration.between(since, now)).toString();
    }

    private static Json component(ComponentSeen seen, Status status, Instant now, Instant wall) {
        return Json.object()
                .with("role", Json.text(seen.role().name()))
                .with("condition", Json.text(status.condition().name()))
                .with("description", Json.text(status.condition().description()))
                .with("waitsFor", Json.text(status.waitsFor()))
                .with("since", Json.text(wallTime(status.since(), now, wall)))
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
            case Evidence.Known<Slots>(Slots known) -> revision(lastGood ? known.lastGood() : known.candidate());
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
