package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.RestorePhase;
import dev.ouroboros.etcd.decide.RestoreState;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.procedure.JournalFile;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Remembers on disk where a restore stands, and of which snapshot, until the start that it belongs to has ended. */
final class RestoreJournal {
    private static final String FILE = "journal.json";

    private final JournalFile file;

    RestoreJournal(Disk disk, Path directory) {
        this.file = new JournalFile(disk, directory.resolve(FILE), "RestoreJournal", "restore");
    }

    /**
     * What is restored, and how far that is.
     *
     * @param snapshot SHA-256 of the file, in hexadecimal
     * @param file where it was, for messages; empty when that was not written down
     */
    record Entry(String snapshot, String file, RestoreState state) {}

    /**
     * Whether a restore has begun there, and the start that it belongs to has not ended. Where it has failed, etcd is as before, and that start is over.
     *
     * @throws ProblemException FOREIGN_FILE when the journal cannot be understood
     */
    static boolean isIn(Disk disk, Path directory) {
        return new RestoreJournal(disk, directory)
                .read()
                .filter(entry -> entry.state().phase() != RestorePhase.FAILED)
                .isPresent();
    }

    /** @throws ProblemException FOREIGN_FILE when it cannot be understood */
    Optional<Entry> read() {
        return file.read(root -> new Entry(
                JournalFile.required(root, "snapshot"),
                root.at("file").text().orElse(""),
                new RestoreState(
                        RestorePhase.valueOf(JournalFile.required(root, "phase")),
                        Instant.parse(JournalFile.required(root, "begun")),
                        Instant.parse(JournalFile.required(root, "since")),
                        root.at("failure").text().stream()
                                .map(RestoreJournal::failure)
                                .toList())));
    }

    private static Problem failure(String what) {
        return new Problem(
                ErrorCode.COMPONENT_FAILED,
                "restore of etcd",
                what,
                "",
                "remove the reason and run the same command again");
    }

    void write(Entry entry) {
        RestoreState state = entry.state();
        Json.Fields content = Json.object()
                .with("snapshot", Json.text(entry.snapshot()))
                .with("file", Json.text(entry.file()))
                .with("phase", Json.text(state.phase().name()))
                .with("begun", Json.text(state.begun().toString()))
                .with("since", Json.text(state.since().toString()));
        List<Problem> failures = state.failures();
        file.write(
                failures.isEmpty()
                        ? content
                        : content.with("failure", Json.text(failures.getFirst().describe())));
    }

    void remove() {
        file.remove();
    }
}
