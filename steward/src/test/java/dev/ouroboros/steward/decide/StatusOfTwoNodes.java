package dev.ouroboros.steward.decide;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.steward.decide.BackupReport.Details;
import dev.ouroboros.steward.decide.BackupReport.Saved;
import dev.ouroboros.steward.decide.ControlPlaneStatus.Seen;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The object {@code ControlPlane/cluster} of a cluster with the nodes a and b, what a steward sees of it, and what its status says. */
final class StatusOfTwoNodes {
    static final Instant NOW = Instant.parse("2026-11-29T15:12:00Z");
    static final ControlPlaneStatus.Own NO_JOB = new ControlPlaneStatus.Own("a", Optional.empty(), Optional.empty());
    static final Set<String> TWO = Set.of("a", "b");
    static final Saved SAVED = new Saved(
            "/var/lib/ouroboros/backups/x/etcd-20261129T151000Z.db",
            NOW.minusSeconds(120),
            4096,
            Optional.of(new Details(7, 5, "https://10.0.0.1:2379", "00ff", true, 0)));

    private StatusOfTwoNodes() {}

    static ControlPlaneObject wished(String spec) throws JsonText.MalformedJson {
        String text = "{\"metadata\":{\"generation\":3,\"uid\":\"u\"},\"spec\":" + spec + "}";
        return new ControlPlaneObject(JsonText.read(text.getBytes(StandardCharsets.UTF_8)));
    }

    static ControlPlaneObject wished() throws JsonText.MalformedJson {
        return wished("{\"etcd\":{\"backup\":{\"interval\":\"1h\",\"copies\":2,\"keep\":{\"hours\":24}}}}");
    }

    static ControlPlaneObject with(ControlPlaneObject object, Json status) {
        return new ControlPlaneObject(((Json.Fields) object.object()).with("status", status));
    }

    /** What a steward sees that neither leads nor reports on members. */
    static Seen seen(Set<String> nodes, Set<String> ready, Optional<BackupReport> own) {
        return new Seen(
                nodes,
                ready,
                own,
                Optional.empty(),
                Optional.empty(),
                NO_JOB,
                CertificateReport.NONE,
                Optional.empty());
    }

    static Seen seen(BackupReport own) {
        return seen(TWO, TWO, Optional.of(own));
    }

    static Seen nothing() {
        return seen(TWO, TWO, Optional.empty());
    }

    static BackupReport saved(String node, Duration ago) {
        return new BackupReport(
                node,
                Optional.of(new Saved(SAVED.file(), NOW.minus(ago), SAVED.bytes(), SAVED.details())),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    static String condition(Json status, String type, String field) {
        return status.at("conditions").items().stream()
                .filter(each -> each.at("type").equals(Json.text(type)))
                .flatMap(each -> each.at(field).text().stream())
                .findFirst()
                .orElse("absent");
    }

    static List<String> states(Json status) {
        return List.of(
                condition(status, "Ready", "status"),
                condition(status, "Reconciling", "status"),
                condition(status, "Stalled", "status"),
                condition(status, "Ready", "reason"));
    }
}
