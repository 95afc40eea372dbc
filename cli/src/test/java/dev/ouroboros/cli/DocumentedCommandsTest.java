package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Every {@code ouro} command on every page is one that there is, with options that it has. What the pages' tests run is more. */
final class DocumentedCommandsTest {
    /** A line of a block, a fence or four spaces, that begins with the command. */
    private static final Pattern LINE = Pattern.compile("(?m)^ *(?:\\./)?ouro ([^\\n]*)$");

    private static final Pattern INLINE = Pattern.compile("`(?:\\./)?ouro ([^`\\n]+)`");
    private static final Pattern WORD =
            Pattern.compile("\"[^\"]*\"|'[^']*'|[^\\s\"']+(?:\"[^\"]*\"|'[^']*')?[^\\s\"']*");

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(Path.of("../docs"))) {
            List<Path> pages =
                    new ArrayList<>(docs.filter(path -> path.toString().endsWith(".md"))
                            .filter(path -> !path.endsWith("reference.md"))
                            .toList());
            pages.add(Path.of("../README.md"));
            return pages;
        }
    }

    @Test
    void everyCommandInABlockIsUnderstood() throws IOException {
        List<String> faults = new ArrayList<>();
        int commands = 0;
        for (Path page : pages()) {
            String text = Files.readString(page).replaceAll("\\\\\\n\\s*", " ");
            for (MatchResult found : LINE.matcher(text).results().toList()) {
                commands++;
                String[] words = words(found.group(1));
                try {
                    Ouro.commandLine(words).parseArgs(words);
                } catch (ParameterException e) {
                    faults.add(page + ": ouro " + String.join(" ", words) + ": " + e.getMessage());
                }
            }
        }
        assertThat(faults).isEmpty();
        assertThat(commands).isGreaterThan(50);
    }

    @Test
    void everyCommandInASentenceHasTheOptionsThatAreNamedWithIt() throws IOException {
        List<String> faults = new ArrayList<>();
        for (Path page : pages()) {
            for (MatchResult found :
                    INLINE.matcher(Files.readString(page)).results().toList()) {
                fault(words(found.group(1))).ifPresent(what -> faults.add(page + ": " + found.group() + ": " + what));
            }
        }
        assertThat(faults).isEmpty();
    }

    /** Down the path of commands as far as it goes; what comes behind a {@code --} is not ours. */
    private static Optional<String> fault(String... words) {
        CommandLine command = Ouro.commandLine();
        boolean first = true;
        for (String word : words) {
            String name = word.replaceFirst("=.*", "");
            if (name.equals("--")) {
                return Optional.empty();
            }
            if (name.startsWith("-")) {
                if (command.getCommandSpec().findOption(name) == null) {
                    return Optional.of("has no " + name);
                }
            } else if (command.getSubcommands().containsKey(name)) {
                command = command.getSubcommands().get(name);
            } else if (first && !name.equals("COMMAND") && !name.matches("[a-z]+(\\|[a-z]+)+")) {
                return Optional.of("there is no such command");
            }
            first = false;
        }
        return Optional.empty();
    }

    /** As a shell divides them, up to what is another command's or the shell's. */
    private static String[] words(String line) {
        String command = line.replaceFirst("(^|\\s)(#|\\||&&|;|>|2>).*", "");
        return WORD.matcher(command)
                .results()
                .map(word -> word.group().replaceAll("[\"']", ""))
                .toArray(String[]::new);
    }
}
