package dev.ouroboros.keeper.act;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StartLeftoversTest {
    @TempDir
    private Path directory = Path.of("");

    private void assertNoJournal(String text, String what) throws IOException {
        Path journal = Files.writeString(directory.resolve("journal.json"), text);

        Refusal.of(
                        () -> new StartLeftovers(new LocalDisk(), directory, directory.resolve("secrets")).remove(),
                        ErrorCode.FOREIGN_FILE)
                .where(journal)
                .whatStartsWith(what)
                .nextContains("move it away if no 'ouro start' is to be continued");
        assertThat(journal).hasContent(text);
    }

    @Test
    void aJournalOfSomebodyElseIsNamedAndLeftAlone() throws IOException {
        assertNoJournal("[1, 2]", "is no journal");
        assertNoJournal("{\"phase\": ", "is no journal: ");
    }

    @Test
    void aJournalOfOursIsDone() throws IOException {
        Path journal = Files.writeString(directory.resolve("journal.json"), "{\"phase\": \"SECRETS\", \"id\": \"a\"}");

        new StartLeftovers(new LocalDisk(), directory, directory.resolve("secrets")).remove();

        assertThat(journal).content().contains("\"DONE\"").contains("\"id\"");
    }
}
