package dev.ouroboros.keeper.checkpoint;

import dev.ouroboros.keeper.decide.ChangeRecord;
import dev.ouroboros.keeper.decide.ChangeRecord.Failure;
import dev.ouroboros.keeper.decide.ChangeRecord.Proven;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.util.Optional;

/** {@code change.json}: what of a change outlives the keeper. What is torn or foreign is left alone and changes nothing. */
public final class ChangeFile {
    private static final String PROVEN = "proven";
    private static final String REVISION = "revision";
    private static final String PREVIOUS = "previous";
    private static final String FAILURES = "failures";
    private static final String RETRY = "retry";
    private static final String MESSAGE = "message";

    private final Disk disk;
    private final Path file;

    /** @param file {@code /var/lib/ouroboros/keeper/change.json} */
    public ChangeFile(Disk disk, Path file) {
        this.disk = disk;
        this.file = file;
    }

    /** @throws ProblemException when there is a file that cannot be understood */
    public ChangeRecord read() {
        Optional<byte[]> text = disk.read(file);
        if (text.isEmpty()) {
            return ChangeRecord.NONE;
        }
        return switch (Signed.read(text.get(), file.toString())) {
            case Signed.Reading.Whole(Json content) -> of(content);
            case Signed.Reading.Bad(Problem problem) -> throw new ProblemException(problem);
        };
    }

    public void recordProven(Optional<Proven> proven) {
        write(read().withProven(proven));
    }

    public void recordFailure(Failure failure) {
        write(read().withFailure(failure));
    }

    private void write(ChangeRecord record) {
        Json.Fields content = Json.object()
                .with(
                        FAILURES,
                        Json.items(record.failures().stream()
                                .map(failure -> Json.object()
                                        .with(
                                                REVISION,
                                                Json.text(failure.revision().digest()))
                                        .with(RETRY, Json.text(failure.retry()))
                                        .with(MESSAGE, Json.text(failure.message())))));
        if (record.proven().isPresent()) {
            Proven proven = record.proven().get();
            content = content.with(
                    PROVEN,
                    Json.object()
                            .with(REVISION, Json.text(proven.revision().digest()))
                            .with(PREVIOUS, Json.text(proven.previous())));
        }
        disk.write(file, Signed.write(content), Disk.OWNER_ONLY_FILE);
    }

    private static ChangeRecord of(Json content) {
        Json proven = content.at(PROVEN);
        return new ChangeRecord(
                revision(proven).map(revision -> new Proven(revision, text(proven, PREVIOUS))),
                content.at(FAILURES).items().stream()
                        .flatMap(item -> revision(item).stream()
                                .map(revision -> new Failure(revision, text(item, RETRY), text(item, MESSAGE))))
                        .toList());
    }

    private static Optional<Revision> revision(Json item) {
        return item.at(REVISION)
                .text()
                .filter(digest -> digest.matches("[0-9a-f]{64}"))
                .map(Revision::new);
    }

    private static String text(Json item, String field) {
        return item.at(field).text().orElse("");
    }
}
