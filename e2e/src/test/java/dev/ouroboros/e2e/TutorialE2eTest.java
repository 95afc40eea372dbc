package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Every command of {@code docs/tutorial}, in its order, in one shell a chapter; where a block of text follows, each of its lines is
 * part of what was printed, {@code ...} standing for anything.
 */
@Tag("e2e")
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TutorialE2eTest {
    private static final Path TUTORIAL = OuroProgram.CHECKOUT.resolve("docs/tutorial");
    private static final List<String> CHAPTERS = List.of(
            "1-first-cluster.md",
            "2-changes.md",
            "3-upgrades.md",
            "4-power-loss.md",
            "5-total-loss.md",
            "6-several-nodes.md",
            "7-etcd.md",
            "8-certificates.md",
            "9-kubelets.md");

    /** Etcd's members come one after the other, each with changes of every API server: twenty minutes on two processors. */
    private static final Duration A_CHAPTER = Duration.ofMinutes(45);

    private final OuroProgram ouro = new OuroProgram("tutorial");

    @BeforeAll
    @AfterAll
    void down() {
        ouro.down();
    }

    @Test
    void everyChapterDoesWhatItSays() throws IOException {
        try (var files = Files.list(TUTORIAL)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(
                            CHAPTERS.stream().collect(Collectors.collectingAndThen(Collectors.toList(), all -> {
                                all.add("README.md");
                                return all;
                            })));
        }
        for (String chapter : CHAPTERS) {
            DocumentedCommands commands = DocumentedCommands.in(TUTORIAL.resolve(chapter));
            commands.requireDoWhatTheySay(script -> new LocalProcesses()
                    .run(Command.of(
                                    "env",
                                    "-C",
                                    OuroProgram.CHECKOUT.toString(),
                                    "bash",
                                    "-euo",
                                    "pipefail",
                                    "-c",
                                    withBinaries(script))
                            .withTimeout(A_CHAPTER)));
        }
    }

    /** The reader's way to other binaries than Debian's is the same. */
    private static String withBinaries(String commands) {
        String binaries = System.getProperty("ouroboros.binaries", "");
        return binaries.isEmpty()
                ? commands
                : commands.replace("./ouro up --name tutorial", "./ouro up --name tutorial --binaries " + binaries);
    }
}
