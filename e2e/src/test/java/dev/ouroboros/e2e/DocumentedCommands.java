package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The commands of a page, in its order: blocks of {@code sh}. Where a block of {@code text} follows, each of its lines is part of what
 * was printed, {@code ...} standing for anything.
 *
 * @param page for messages
 */
record DocumentedCommands(String page, List<Block> blocks) {
    private static final String MARK = "-- end of block --";

    /**
     * Commands, and what is shown of their output.
     *
     * @param section the heading that they stand below
     * @param shown of the block {@code text} that comes next, if one does before the next commands
     */
    record Block(String section, String commands, Optional<String> shown) {}

    static DocumentedCommands in(Path page) throws IOException {
        List<String> lines = Files.readAllLines(page);
        List<Block> blocks = new ArrayList<>();
        String section = "";
        for (int at = 0; at < lines.size(); at++) {
            String line = lines.get(at);
            if (line.startsWith("#")) {
                section = line.replaceFirst("^#+ ", "");
            }
            if (line.equals("```sh") || line.equals("```text")) {
                int end = at + 1;
                while (!lines.get(end).equals("```")) {
                    end++;
                }
                String text = String.join("\n", lines.subList(at + 1, end));
                if (line.equals("```sh")) {
                    blocks.add(new Block(section, text, Optional.empty()));
                } else {
                    blocks.add(new Block(section, blocks.removeLast().commands(), Optional.of(text)));
                }
                at = end;
            }
        }
        return new DocumentedCommands(page.getFileName().toString(), blocks);
    }

    /** Those below one heading. */
    DocumentedCommands section(String heading) {
        List<Block> within =
                blocks.stream().filter(block -> block.section().equals(heading)).toList();
        return new DocumentedCommands(page + ", " + heading, within);
    }

    /** The same as they are said on another machine. */
    DocumentedCommands with(UnaryOperator<String> change) {
        List<Block> changed = blocks.stream()
                .map(block -> new Block(
                        block.section(),
                        change.apply(block.commands()),
                        block.shown().map(change)))
                .toList();
        return new DocumentedCommands(page, changed);
    }

    /** All of them in one shell, which ends with the first that fails. */
    void requireDoWhatTheySay(Function<String, Result> shell) {
        assertThat(blocks).as(page).isNotEmpty();
        String script = blocks.stream()
                .map(block -> block.commands() + "\necho '" + MARK + "'\n")
                .collect(Collectors.joining());
        Result result = shell.apply(script);
        assertThat(result.exitCode())
                .as("%s: %s%s", page, result.output(), result.error())
                .isZero();
        List<String> printed = Arrays.asList(result.output().split(Pattern.quote(MARK), -1));
        for (int at = 0; at < blocks.size(); at++) {
            String output = printed.get(at);
            blocks.get(at)
                    .shown()
                    .ifPresent(shown -> assertThat(shown.lines())
                            .as("%s prints%n%s", page, output)
                            .allMatch(line -> isPartOf(line, output)));
        }
    }

    private static boolean isPartOf(String line, String output) {
        String pattern =
                Arrays.stream(line.split("\\.\\.\\.", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
        return Pattern.compile(pattern).matcher(output).find();
    }
}
