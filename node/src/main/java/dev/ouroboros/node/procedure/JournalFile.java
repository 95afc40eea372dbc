package dev.ouroboros.node.procedure;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.util.Optional;
import java.util.function.Function;

/** A file with the state of one procedure, as JSON that says its kind and version. */
public final class JournalFile {
    private static final String API_VERSION = "ouroboros.dev/v1alpha1";

    private final Disk disk;
    private final Path file;
    private final String kind;
    private final String work;

    /**
     * Reads and writes nothing yet.
     *
     * @param kind as in {@code RestoreJournal}
     * @param work what is journalled, for messages, as in {@code restore}
     */
    public JournalFile(Disk disk, Path file, String kind, String work) {
        this.disk = disk;
        this.file = file;
        this.kind = kind;
        this.work = work;
    }

    /**
     * What it says; empty when there is no file.
     *
     * @param reader may throw IllegalArgumentException and DateTimeException for what is not as it wrote it
     * @throws ProblemException FOREIGN_FILE when it cannot be understood
     */
    public <T> Optional<T> read(Function<Json, T> reader) {
        Optional<byte[]> text = disk.read(file);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            Json root = JsonText.read(text.get());
            if (!root.at("apiVersion").equals(Json.text(API_VERSION))
                    || !root.at("kind").equals(Json.text(kind))) {
                throw new IllegalArgumentException("of another kind or version");
            }
            return Optional.of(reader.apply(root));
        } catch (JsonText.MalformedJson | IllegalArgumentException | DateTimeException e) {
            throw new ProblemException(foreign("cannot be understood: " + e.getMessage()), e);
        }
    }

    /** A field's text, which must be there. */
    public static String required(Json root, String field) {
        return root.at(field).text().orElseThrow(() -> new IllegalArgumentException("no " + field));
    }

    /** That what was read is not what it should be. */
    public Problem foreign(String what) {
        return new Problem(
                ErrorCode.FOREIGN_FILE,
                file.toString(),
                what,
                "the journal of this " + work + ", or none",
                "look at it, and move it away if no " + work + " is to be continued");
    }

    /** @param state without kind and version */
    public void write(Json.Fields state) {
        Json.Fields root =
                Json.object().with("apiVersion", Json.text(API_VERSION)).with("kind", Json.text(kind));
        for (var field : state.values().entrySet()) {
            root = root.with(field.getKey(), field.getValue());
        }
        disk.write(file, JsonText.write(root), Disk.OWNER_ONLY_FILE);
    }

    public void remove() {
        disk.delete(file);
    }
}
