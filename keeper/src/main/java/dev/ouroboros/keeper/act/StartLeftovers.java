package dev.ouroboros.keeper.act;

import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.start.Phase;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.lock.ExclusiveLock;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What a killed {@code start} left besides its manifests: a copy of keys, and a journal that says it is not done. Touched only while
 * we hold start's lock, so that no start begins meanwhile; the journal is last, because it is what says that there is work to do.
 */
public final class StartLeftovers implements ActionPerformer.PivotLeftovers {
    private static final String JOURNAL_AWAY = "look at it, and move it away if no 'ouro start' is to be continued";
    private static final String MARKER = ".written-by-ouro-start";

    private final Disk disk;
    private final Path stateDirectory;
    private final Path secrets;

    /**
     * @param stateDirectory of start: lock and journal
     * @param secrets the copy of keys
     */
    public StartLeftovers(Disk disk, Path stateDirectory, Path secrets) {
        this.disk = disk;
        this.stateDirectory = stateDirectory;
        this.secrets = secrets;
    }

    @Override
    public void remove() {
        try (ExclusiveLock _ = ExclusiveLock.acquire(stateDirectory.resolve(StateLayout.LOCK), "finish the pivot")) {
            if (disk.list(secrets).stream().anyMatch(name -> name.startsWith(MARKER))) {
                // The directory itself may be a mount of ours, and its marker goes last.
                disk.list(secrets).stream()
                        .filter(name -> !name.startsWith(MARKER))
                        .forEach(name -> disk.delete(secrets.resolve(name)));
                disk.list(secrets).forEach(name -> disk.delete(secrets.resolve(name)));
            }
            Path journal = stateDirectory.resolve(StateLayout.JOURNAL);
            Optional<String> text = disk.readText(journal);
            if (text.isPresent()) {
                disk.write(journal, JsonText.write(done(journal, text.get())), Disk.OWNER_ONLY_FILE);
            }
        }
    }

    private static Json done(Path journal, String text) {
        try {
            if (JsonText.read(text) instanceof Json.Fields fields) {
                return fields.with("phase", Json.text(Phase.DONE.name()));
            }
            throw ProblemException.of(ErrorCode.FOREIGN_FILE, journal.toString(), "is no journal", "", JOURNAL_AWAY);
        } catch (MalformedJson e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.FOREIGN_FILE,
                            journal.toString(),
                            "is no journal: " + e.getMessage(),
                            "",
                            JOURNAL_AWAY),
                    e);
        }
    }
}
