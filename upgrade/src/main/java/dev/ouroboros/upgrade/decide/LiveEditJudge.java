package dev.ouroboros.upgrade.decide;

import static dev.ouroboros.upgrade.decide.PlanFinding.blocking;
import static dev.ouroboros.upgrade.decide.PlanFinding.unknown;

import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.upgrade.merge.Conflict;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Fields that somebody changed in the cluster and that the target changes too: {@code apply} stops at them before it does anything. */
public final class LiveEditJudge {
    private static final String CHECK = "live-edits";

    private LiveEditJudge() {}

    static List<PlanFinding> judge(Intent intent) {
        return switch (intent.conflicts()) {
            case Unknown<Map<ObjectName, List<Conflict>>>(String why) ->
                List.of(unknown(CHECK, "objects of the cluster", why, ""));
            case Known<Map<ObjectName, List<Conflict>>>(Map<ObjectName, List<Conflict>> conflicts) -> {
                List<PlanFinding> findings = new ArrayList<>();
                conflicts.forEach((object, own) -> own.forEach(conflict -> findings.add(finding(object, conflict))));
                yield findings;
            }
        };
    }

    private static PlanFinding finding(ObjectName object, Conflict conflict) {
        return blocking(
                CHECK,
                object.toString(),
                (conflict.path().isEmpty() ? "all of it" : conflict.path()) + " was made as "
                        + shown(object, conflict.base()) + ", is " + shown(object, conflict.live())
                        + " in the cluster, and is to become " + shown(object, conflict.target()),
                "ouro upgrade apply stops before anything is done",
                "make the change in the Cluster document too, or apply with --on-conflict live or --on-conflict target");
    }

    /** A value for people. Content of Secrets is not shown. */
    public static String shown(ObjectName object, Json value) {
        if (value.isNull()) {
            return "-";
        }
        return object.kind().equals("Secret")
                ? "(secret)"
                : value.text().orElseGet(() -> new String(JsonText.write(value), StandardCharsets.UTF_8));
    }
}
