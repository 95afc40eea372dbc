package dev.ouroboros.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.bootstrap.decide.PivotState;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.start.Phase;
import dev.ouroboros.node.disk.LocalDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JournalTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    private Path directory = Path.of("");

    private PivotJournal journal(String cluster) {
        return new PivotJournal(new LocalDisk(), directory.resolve("start"), cluster, Optional.empty());
    }

    private PivotJournal journalAfterARestore(Instant restored) {
        return new PivotJournal(new LocalDisk(), directory.resolve("start"), "a", Optional.of(restored));
    }

    @Test
    void remembersWhereAPivotStands() {
        journal("a").write(new PivotState(Phase.SWITCHING, NOW, List.of()));

        assertThat(journal("a").unfinished(NOW.plusSeconds(60)))
                .contains(new PivotState(Phase.SWITCHING, NOW.plusSeconds(60), List.of()));
    }

    @Test
    void beginsAnewAfterAPivotThatEnded() {
        assertThat(journal("a").unfinished(NOW)).isEmpty();
        journal("a").write(new PivotState(Phase.DONE, NOW, List.of()));
        assertThat(journal("a").unfinished(NOW)).isEmpty();
        assertThat(journal("b").unfinished(NOW)).isEmpty();
    }

    @Test
    void beginsAnewAfterARemovalThatWasInterrupted() {
        Problem why = new Problem(ErrorCode.TIMEOUT, "start", "took too long", "", "try again");
        journal("a").write(new PivotState(Phase.ROLLING_BACK, NOW, List.of(why)));

        assertThat(journal("a").unfinished(NOW)).isEmpty();
    }

    /** It went on behind the phase in which the pods of the former life are deleted. */
    @Test
    void beginsAnewWhenEtcdWasRestoredSince() {
        journal("a").write(new PivotState(Phase.SELF_HOSTING, NOW, List.of()));

        // Whatever the wall clock said then.
        for (Instant restored : List.of(NOW.plusSeconds(1), NOW.minusSeconds(1))) {
            assertThat(journalAfterARestore(restored).unfinished(NOW)).isEmpty();
        }
    }

    @Test
    void goesOnWithWhatBeganAfterTheSameRestore() {
        journalAfterARestore(NOW.plusSeconds(60)).write(new PivotState(Phase.SELF_HOSTING, NOW, List.of()));

        assertThat(journalAfterARestore(NOW.plusSeconds(60)).unfinished(NOW)).isPresent();
        assertThat(journalAfterARestore(NOW.plusSeconds(61)).unfinished(NOW)).isEmpty();
        assertThat(journal("a").unfinished(NOW)).isPresent();
    }

    @Test
    void doesNotTakeOverAnotherClustersPivot() {
        journal("a").write(new PivotState(Phase.APPLYING, NOW, List.of()));

        assertThatThrownBy(() -> journal("b").unfinished(NOW))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("another cluster");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "{\"apiVersion\":\"ouroboros.dev/v9\",\"kind\":\"StartJournal\"}",
                "{\"apiVersion\":\"ouroboros.dev/v1alpha1\",\"kind\":\"StartJournal\",\"phase\":\"DANCING\",\"clusterId\":\"a\"}"
            })
    void reportsATornOrForeignJournalAndLeavesItAlone(String content) throws IOException {
        PivotJournal journal = journal("a");
        Path file = directory.resolve("start/journal.json");
        Files.writeString(file, content);

        assertThatThrownBy(() -> journal.unfinished(NOW))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(file.toString());
        assertThat(Files.readString(file)).isEqualTo(content);
    }
}
