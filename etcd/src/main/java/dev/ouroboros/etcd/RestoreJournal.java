package dev.ouroboros.etcd;

import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.json.JsonText;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.core.restore.RestorePhase;
import dev.ouroboros.core.restore.RestoreState;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Remembers on disk where a restore stands, and of which snapshot, until the start that it belongs to has ended. */
final class RestoreJournal {
    private static final String API_VERSION = "ouroboros.dev/v1alpha1";
    private static final String KIND = "RestoreJournal";

    private final Disk disk;
    private final Path file;

    RestoreJournal(Disk disk, Path directory) {
        this.disk = disk;
        this.file = directory.resolve("journal.json");
    }

    /** @param snapshot SHA-256 of the file, in hexadecimal */
    record Entry(String snapshot, RestoreState state) {}

    /** @throws ProblemException FOREIGN_FILE when it cannot be understood */
    Optional<Entry> read() {
        Optional<byte[]> text = disk.read(file);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            Json root = JsonText.read(text.get());
            if (!root.at("apiVersion").text().equals(Optional.of(API_VERSION))
                    || !root.at("kind").text().equals(Optional.of(KIND))) {
                throw foreign(new IllegalArgumentException("of another kind or version"));
            }
            Optional<String> failure = root.at("failure").text();
            RestoreState state = new RestoreState(
                    RestorePhase.valueOf(required(root, "phase")),
                    Instant.parse(required(root, "begun")),
                    Instant.parse(required(root, "since")),
                    failure.stream()
                            .map(what -> new Problem(
                                    ErrorCode.COMPONENT_FAILED,
                                    "restore of etcd",
                                    what,
                                    "",
                                    "remove the reason and run the same command again"))
                            .toList());
            return Optional.of(new Entry(required(root, "snapshot"), state));
        } catch (JsonText.MalformedJson | IllegalArgumentException | DateTimeException e) {
            throw foreign(e);
        }
    }

    private static String required(Json root, String field) {
        return root.at(field).text().orElseThrow(() -> new IllegalArgumentException("no " + field));
    }

    private ProblemException foreign(Exception cause) {
        return new ProblemException(
                new Problem(
                        ErrorCode.FOREIGN_FILE,
                        file.toString(),
                        "cannot be understood: " + cause.getMessage(),
                        "the journal of a restore, or none",
                        "look at it, and move it away if no restore is to be continued"),
                cause);
    }

    void write(Entry entry) {
        RestoreState state = entry.state();
        Json.Fields root = Json.object()
                .with("apiVersion", Json.text(API_VERSION))
                .with("kind", Json.text(KIND))
                .with("snapshot", Json.text(entry.snapshot()))
                .with("phase", Json.text(state.phase().name()))
                .with("begun", Json.text(state.begun().toString()))
                .with("since", Json.text(state.since().toString()));
        List<Problem> failures = state.failures();
        if (!failures.isEmpty()) {
            root = root.with("failure", Json.text(failures.getFirst().describe()));
        }
        disk.write(file, JsonText.write(root), Disk.OWNER_ONLY_FILE);
    }

    void remove() {
        disk.delete(file);
    }
}
