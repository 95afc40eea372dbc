package dev.ouroboros.bootstrap;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.core.asset.StateLayout;
import dev.ouroboros.core.pivot.Phase;
import dev.ouroboros.core.pivot.PivotState;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Remembers on disk where a pivot stands, so that a killed {@code start} goes on. It is written before the actions of a
 * decision are performed.
 */
final class PivotJournal {
    private static final String API_VERSION = "ouroboros.dev/v1alpha1";
    private static final String RESTORED = "restored";
    private static final String KIND = "StartJournal";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Disk disk;
    private final Path file;
    private final String clusterId;
    private final Optional<Instant> restored;

    /** @param restored when etcd was restored: a pivot that was under way before that has to begin anew, as nothing that it did is left */
    PivotJournal(Disk disk, Path stateDirectory, String clusterId, Optional<Instant> restored) {
        this.disk = disk;
        this.file = stateDirectory.resolve(StateLayout.JOURNAL);
        this.clusterId = clusterId;
        this.restored = restored;
        disk.createDirectories(stateDirectory, Disk.OWNER_ONLY_DIRECTORY);
    }

    /**
     * The state of an unfinished pivot of this cluster, or empty when there is none.
     *
     * @throws ProblemException FOREIGN_FILE when the journal cannot be understood, or when another cluster's pivot is unfinished
     */
    Optional<PivotState> unfinished(Instant now) {
        Optional<String> text = disk.readText(file);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            JsonNode root = MAPPER.readTree(text.get());
            if (!API_VERSION.equals(root.path("apiVersion").asText())
                    || !KIND.equals(root.path("kind").asText())) {
                throw foreign("is not a journal of this version of ouro", null);
            }
            Phase phase = Phase.valueOf(root.path("phase").asText());
            if (phase.isFinal()) {
                return Optional.empty();
            }
            if (!clusterId.equals(root.path("clusterId").asText())) {
                throw foreign("belongs to an unfinished start of another cluster", null);
            }
            // Compared for equality, not order: the wall clock may have jumped.
            String known = root.path(RESTORED).asText("");
            if (restored.isPresent() && !restored.get().toString().equals(known)) {
                return Optional.empty();
            }
            // An interrupted removal is not a failure of this run: begin again, which puts back what is missing.
            return phase == Phase.ROLLING_BACK ? Optional.empty() : Optional.of(new PivotState(phase, now, List.of()));
        } catch (JsonProcessingException | IllegalArgumentException | DateTimeException e) {
            throw foreign("cannot be understood", e);
        }
    }

    private ProblemException foreign(String what, @org.jspecify.annotations.Nullable Exception cause) {
        Problem problem = new Problem(
                ErrorCode.FOREIGN_FILE,
                file.toString(),
                what,
                "a journal of this cluster, or none",
                "look at it, and move it away if no start is to be continued");
        return cause == null ? new ProblemException(problem) : new ProblemException(problem, cause);
    }

    void write(PivotState state) {
        ObjectNode root = MAPPER.createObjectNode();
        root.put("apiVersion", API_VERSION);
        root.put("kind", KIND);
        root.put("clusterId", clusterId);
        root.put("phase", state.phase().name());
        root.put("since", state.since().toString());
        restored.ifPresent(moment -> root.put(RESTORED, moment.toString()));
        try {
            byte[] content = MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(root);
            disk.write(file, content, Disk.OWNER_ONLY_FILE);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a journal can always be written", e);
        }
    }
}
