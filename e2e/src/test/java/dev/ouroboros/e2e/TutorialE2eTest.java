package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
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
    private static final Path TUTORIAL = Ouro.CHECKOUT.resolve("docs/tutorial");
    private static final List<String> CHAPTERS =
            List.of("1-first-cluster.md", "2-changes.md", "3-power-loss.md", "4-total-loss.md");
    private static final String MARK = "-- end of block --";

    private final Ouro ouro = new Ouro("tutorial");

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
            requireDoesWhatItSays(chapter, Block.of(Files.readAllLines(TUTORIAL.resolve(chapter))));
        }
    }

    private static void requireDoesWhatItSays(String chapter, List<Block> blocks) {
        assertThat(blocks).as(chapter).isNotEmpty();
        String script = blocks.stream()
                .map(block -> withBinaries(block.commands()) + "\necho '" + MARK + "'\n")
                .collect(Collectors.joining());
        Result result = new LocalProcesses()
                .run(Command.of("env", "-C", Ouro.CHECKOUT.toString(), "bash", "-euo", "pipefail", "-c", script)
                        .withTimeout(Duration.ofMinutes(20)));
        assertThat(result.exitCode())
                .as("%s: %s%s", chapter, result.output(), result.error())
                .isZero();
        List<String> printed = Arrays.asList(result.output().split(Pattern.quote(MARK), -1));
        for (int at = 0; at < blocks.size(); at++) {
            String output = printed.get(at);
            blocks.get(at)
                    .shown()
                    .ifPresent(shown -> assertThat(shown.lines())
                            .as("%s prints%n%s", chapter, output)
                            .allMatch(line -> isPartOf(line, output)));
        }
    }

    private static boolean isPartOf(String line, String output) {
        String pattern =
                Arrays.stream(line.split("\\.\\.\\.", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
        return Pattern.compile(pattern).matcher(output).find();
    }

    /** The reader's way to other binaries than Debian's is the same. */
    private static String withBinaries(String commands) {
        String binaries = System.getProperty("ouroboros.binaries", "");
        return binaries.isEmpty()
                ? commands
                : commands.replace("./ouro up --name tutorial", "./ouro up --name tutorial --binaries " + binaries);
    }

    /**
     * Commands, and what is shown of their output.
     *
     * @param commands of a block {@code sh}
     * @param shown of the block {@code text} that comes next, if one does before the next commands
     */
    private record Block(String commands, Optional<String> shown) {
        static List<Block> of(List<String> lines) {
            List<Block> blocks = new ArrayList<>();
            for (int at = 0; at < lines.size(); at++) {
                String fence = lines.get(at);
                if (fence.equals("```sh") || fence.equals("```text")) {
                    int end = at + 1;
                    while (!lines.get(end).equals("```")) {
                        end++;
                    }
                    String text = String.join("\n", lines.subList(at + 1, end));
                    if (fence.equals("```sh")) {
                        blocks.add(new Block(text, Optional.empty()));
                    } else {
                        blocks.add(new Block(blocks.removeLast().commands(), Optional.of(text)));
                    }
                    at = end;
                }
            }
            return blocks;
        }
    }
}
