package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.ChangeReport;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.front.BalancerRules;
import dev.ouroboros.model.front.FrontRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * {@code docs/reference.md} is made from the code itself: {@code ./test cli} fails when it is out of date, and
 * {@code OURO_WRITE_REFERENCE=1 ./test cli} writes it.
 */
final class ReferenceTest {
    private static final Path FILE = Path.of("../docs/reference.md");

    @Test
    void saysWhatTheCommandLineSays() throws IOException {
        GeneratedPage.requireUpToDate(FILE, reference());
    }

    @Test
    void knowsEveryAnnotationAndLabelOfTheSources() throws IOException {
        Pattern name = Pattern.compile("\"(ouroboros\\.dev/[a-z]+(?:-[a-z]+)*)[\"=]");
        TreeSet<String> found = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            for (Path file : files.filter(path -> path.toString().contains("/src/main/java/")
                            && path.toString().endsWith(".java"))
                    .toList()) {
                name.matcher(Files.readString(file)).results().forEach(hit -> found.add(hit.group(1)));
            }
        }
        // The front's chain in nftables is called so, too.
        found.remove(FrontRules.MARKER_CHAIN);
        found.remove(BalancerRules.MARKER_CHAIN);
        assertThat(KeeperReference.names().keySet()).containsAll(found);
        assertThat(found).contains(ChangeReport.PAUSED_ANNOTATION, Understudy.LABEL);
    }

    private static String reference() {
        StringBuilder text = new StringBuilder("""
                # Reference

                Every name that people and scripts meet, made from the code itself. `ouro COMMAND --help` says of a command the same, with an
                example.

                ## Exit codes

                | code | meaning |
                |--|--|
                | 0 | done |
                | 1 | failed, for a reason outside of what was given |
                | 2 | what was given is wrong |
                | 3 | done, and something was found |

                On standard error, one line each: `error CODE: ...`; [errors.md](errors.md) has every code.
                """);
        text.append(KeeperReference.text());
        text.append("\n# Commands\n");
        command(Ouro.commandLine().getCommandSpec(), text);
        return text.toString();
    }

    private static void command(CommandSpec command, StringBuilder text) {
        if (command.usageMessage().hidden() || command.name().equals("help")) {
            return;
        }
        text.append("\n## ").append(command.qualifiedName()).append("\n\n");
        Stream.of(command.usageMessage().description())
                .map(ReferenceTest::plain)
                .forEach(line -> text.append(line).append('\n'));
        String rows = Stream.concat(
                        command.positionalParameters().stream().filter(parameter -> !parameter.hidden()),
                        command.options().stream().filter(option -> !option.hidden() && !isStandard(option)))
                .map(argument -> "| `" + name(argument) + "` | " + description(argument) + " |\n")
                .collect(Collectors.joining());
        if (!rows.isEmpty()) {
            text.append("\n| option | |\n|--|--|\n").append(rows);
        }
        new TreeMap<>(command.subcommands())
                .values().stream().map(CommandLine::getCommandSpec).distinct().forEach(sub -> command(sub, text));
    }

    private static boolean isStandard(OptionSpec option) {
        return Arrays.asList(option.names()).contains("--help")
                || Arrays.asList(option.names()).contains("--version");
    }

    private static String name(ArgSpec argument) {
        return switch (argument) {
            case OptionSpec option ->
                String.join(", ", option.names()) + (option.arity().max() == 0 ? "" : " " + option.paramLabel());
            case PositionalParamSpec parameter -> parameter.paramLabel();
            default -> throw new IllegalStateException("neither option nor parameter: " + argument);
        };
    }

    private static String description(ArgSpec argument) {
        return Stream.of(argument.description()).map(ReferenceTest::plain).collect(Collectors.joining(" "));
    }

    private static String plain(String text) {
        return String.format(text).replace("\n", " ").replace("|", "\\|");
    }
}
