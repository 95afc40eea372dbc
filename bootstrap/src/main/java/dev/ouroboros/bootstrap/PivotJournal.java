package dev.ouroboros.bootstrap;

import dev.ouroboros.bootstrap.decide.PivotState;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.start.Phase;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.procedure.JournalFile;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Remembers on disk where a pivot stands, so that a killed {@code start} goes on. It is written before the actions of a
 * decision are performed.
 */
final class PivotJournal {
    private final JournalFile file;
    private final String clusterId;
    private final Optional<Instant> restored;

    /** @param restored when etcd was restored: a pivot that was under way before that has to begin anew, as nothing that it did is left */
    PivotJournal(Disk disk, Path stateDirectory, String clusterId, Optional<Instant> restored) {
        this.file = new JournalFile(disk, stateDirectory.resolve(StateLayout.JOURNAL), "StartJournal", "start");
        this.clusterId = clusterId;
        this.restored = restored;
        disk.createDirectories(stateDirectory, Disk.OWNER_ONLY_DIRECTORY);
    }

    private record Entry(Phase phase, String clusterId, Optional<String> restored, boolean isSlow) {}

    /**
     * The state of an unfinished pivot of this cluster, or empty when there is none.
     *
     * @throws ProblemException FOREIGN_FILE when the journal cannot be understood, or when another cluster's pivot is unfinished
     */
    Optional<PivotState> unfinished(Instant now) {
        Optional<Entry> known = file.read(root -> new Entry(
                        Phase.valueOf(JournalFile.required(root, "phase")),
                        root.at("clusterId").text().orElse(""),
                        root.at("restored").text(),
                        root.at("slow").isTrue()))
                .filter(entry -> !entry.phase().isFinal());
        if (known.isPresent() && !known.get().clusterId().equals(clusterId)) {
            throw new ProblemException(file.foreign("belongs to an unfinished start of another cluster"));
        }
        // Moments are compared for equality, not order: the wall clock may have jumped. A removal that was interrupted
        // is no failure of this run, which begins again and puts back what is missing.
        return known.filter(entry ->
                        restored.isEmpty() || restored.map(Instant::toString).equals(entry.restored()))
                .filter(entry -> entry.phase() != Phase.ROLLING_BACK)
                .map(entry -> new PivotState(entry.phase(), now, List.of()).slow(entry.isSlow()));
    }

    void write(PivotState state) {
        Json.Fields content = Json.object()
                .with("clusterId", Json.text(clusterId))
                .with("phase", Json.text(state.phase().name()))
                .with("since", Json.text(state.since().toString()))
                .with("slow", Json.bool(state.isSlow()));
        file.write(restored.map(moment -> content.with("restored", Json.text(moment.toString())))
                .orElse(content));
    }
}
