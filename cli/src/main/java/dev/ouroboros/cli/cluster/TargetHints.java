package dev.ouroboros.cli.cluster;

import dev.ouroboros.cli.program.WholeProgram;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * Completes advised commands so that they work as they are printed: those that take the options of the target get the ones that this command was
 * given.
 */
public final class TargetHints {
    /** Options that say which cluster is meant. */
    private static final List<String> TARGETS = List.of("--name", "--node", "--kubeconfig", "--asset-dir");

    private static final Pattern COMMAND = Pattern.compile("(?<![\\w/.-])ouro((?: [a-z][a-z-]*)+)");
    /** Where the advised command's own options end at the latest. */
    private static final Pattern END = Pattern.compile("[;\\n]|$");

    private final Map<String, String> given = new LinkedHashMap<>();
    private final WholeProgram program;

    private TargetHints(WholeProgram program) {
        this.program = program;
    }

    /** @param parsed of the whole command line */
    public static TargetHints of(ParseResult parsed) {
        TargetHints hints = new TargetHints(WholeProgram.of(parsed.commandSpec()));
        ParseResult leaf = parsed;
        while (leaf.hasSubcommand()) {
            leaf = leaf.subcommand();
        }
        for (String target : TARGETS) {
            OptionSpec option = leaf.matchedOption(target);
            if (option != null && !option.originalStringValues().isEmpty()) {
                hints.given.put(target, option.originalStringValues().getLast());
            }
        }
        return hints;
    }

    /** As {@link #of}, for a command that has been read. */
    public static TargetHints of(CommandSpec command) {
        return Optional.ofNullable(command.commandLine().getParseResult())
                .map(TargetHints::of)
                .orElseGet(() -> new TargetHints(WholeProgram.of(command)));
    }

    /** The text, in which every command that takes these options has those that were given. */
    public String in(String text) {
        return given.isEmpty()
                ? text
                : COMMAND.matcher(text).replaceAll(found -> Matcher.quoteReplacement(completed(found, text)));
    }

    private String completed(MatchResult found, String text) {
        List<String> words = List.of(found.group(1).strip().split(" ", -1));
        Map<String, CommandLine> commands =
                program.commandLineOf(words.getFirst()).getSubcommands();
        CommandSpec command = null;
        int length = 0;
        for (String word : words) {
            CommandLine next = commands.get(word);
            if (next == null) {
                break;
            }
            command = next.getCommandSpec();
            commands = next.getSubcommands();
            length++;
        }
        if (command == null) {
            return found.group();
        }
        Matcher end = END.matcher(text);
        String rest = text.substring(found.end(), end.find(found.end()) ? end.start() : text.length());
        List<String> result = new ArrayList<>(List.of(WholeProgram.NAME));
        result.addAll(words.subList(0, length));
        for (Map.Entry<String, String> option : given.entrySet()) {
            if (command.findOption(option.getKey()) != null && !rest.contains(option.getKey())) {
                result.add(option.getKey());
                result.add(quoted(option.getValue()));
            }
        }
        result.addAll(words.subList(length, words.size()));
        return String.join(" ", result);
    }

    private static String quoted(String value) {
        return value.matches("[\\w@%+=:,./-]+") ? value : "'" + value.replace("'", "'\\''") + "'";
    }
}
