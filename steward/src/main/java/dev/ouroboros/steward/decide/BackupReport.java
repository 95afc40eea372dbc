package dev.ouroboros.steward.decide;

import dev.ouroboros.model.json.Json;
import java.time.Instant;
import java.util.Optional;

/**
 * What the status says of the backups of one node.
 *
 * @param saved of the newest snapshot that is there
 * @param failure why there is no newer one
 * @param drill the last one
 * @param mirror the last copy to what is mounted from elsewhere
 */
public record BackupReport(
        String node, Optional<Saved> saved, Optional<Failure> failure, Optional<Drill> drill, Optional<Mirror> mirror) {
    /**
     * A snapshot that was verified when it was saved.
     *
     * @param details what is known of it beyond that: of one that an earlier process saved, only what its status said
     */
    public record Saved(String file, Instant at, long bytes, Optional<Details> details) {}

    /**
     * What was read in a snapshot.
     *
     * @param revision of etcd
     * @param keys that have a value
     * @param server that it was taken from
     * @param hasKeys whether the keys of its Secrets are beside it
     * @param unreadable how many objects could not be read, or not be decrypted with the keys beside it
     */
    public record Details(long revision, long keys, String server, String sha256, boolean hasKeys, long unreadable) {}

    /**
     * A failure that lasts.
     *
     * @param since when the first attempt failed after the last success
     */
    public record Failure(Instant since, String message) {}

    /**
     * The result of a drill: a snapshot was restored, served and compared.
     *
     * @param at when the drill ended
     * @param message why the snapshot would not bring the cluster back, or what was found in it
     */
    public record Drill(Instant at, String file, boolean isPassed, String message) {}

    /**
     * The copy of a snapshot.
     *
     * @param at of the last copy, or since when there is none
     * @param file the snapshot that was copied last, by its name on the node; empty text when none was
     * @param failure why there is no newer copy; empty text when the newest snapshot is copied
     */
    public record Mirror(Instant at, String file, String failure) {}

    static BackupReport of(Json entry) {
        Json mirror = entry.at("mirror");
        Json saved = entry.at("saved");
        Json drill = entry.at("drill");
        Json failure = entry.at("failure");
        return new BackupReport(
                text(entry, "node"),
                moment(saved, "time")
                        .map(at -> new Saved(
                                text(saved, "file"),
                                at,
                                saved.at("bytes").integer().orElse(0),
                                details(saved))),
                moment(failure, "since").map(since -> new Failure(since, text(failure, "message"))),
                moment(drill, "time")
                        .map(at -> new Drill(
                                at, text(drill, "file"), drill.at("passed").isTrue(), text(drill, "message"))),
                moment(mirror, "time").map(at -> new Mirror(at, text(mirror, "file"), text(mirror, "message"))));
    }

    private static Optional<Details> details(Json saved) {
        return saved.at("sha256")
                .text()
                .map(sum -> new Details(
                        saved.at("revision").integer().orElse(0),
                        saved.at("keys").integer().orElse(0),
                        text(saved, "server"),
                        sum,
                        saved.at("hasKeys").isTrue(),
                        saved.at("unreadable").integer().orElse(0)));
    }

    Json.Fields json() {
        Json.Fields entry = Json.object().with("node", Json.text(node));
        if (saved.isPresent()) {
            entry = entry.with("saved", json(saved.get()));
        }
        if (failure.isPresent()) {
            entry = entry.with(
                    "failure",
                    Json.object()
                            .with("since", Json.text(failure.get().since().toString()))
                            .with("message", Json.text(failure.get().message())));
        }
        if (drill.isPresent()) {
            entry = entry.with("drill", json(drill.get()));
        }
        return mirror.isEmpty() ? entry : entry.with("mirror", json(mirror.get()));
    }

    /** API servers of 1.20 refuse an empty text. */
    private static Json.Fields json(Mirror mirror) {
        Json.Fields json = Json.object().with("time", Json.text(mirror.at().toString()));
        if (!mirror.file().isEmpty()) {
            json = json.with("file", Json.text(mirror.file()));
        }
        return mirror.failure().isEmpty() ? json : json.with("message", Json.text(mirror.failure()));
    }

    private static Json.Fields json(Drill drill) {
        return Json.object()
                .with("time", Json.text(drill.at().toString()))
                .with("file", Json.text(drill.file()))
                .with("passed", Json.bool(drill.isPassed()))
                .with("message", Json.text(drill.message()));
    }

    private static Json.Fields json(Saved saved) {
        Json.Fields json = Json.object()
                .with("time", Json.text(saved.at().toString()))
                .with("file", Json.text(saved.file()))
                .with("bytes", Json.number(saved.bytes()));
        return saved.details()
                .map(details -> json.with("revision", Json.number(details.revision()))
                        .with("keys", Json.number(details.keys()))
                        .with("server", Json.text(details.server()))
                        .with("sha256", Json.text(details.sha256()))
                        .with("hasKeys", Json.bool(details.hasKeys()))
                        .with("unreadable", Json.number(details.unreadable())))
                .orElse(json);
    }

    private static String text(Json json, String field) {
        return json.at(field).text().orElse("");
    }

    private static Optional<Instant> moment(Json json, String field) {
        return WrittenMoment.of(json.at(field));
    }
}
