package dev.ouroboros.cli.completion;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Writes what fish completes: a line a command and an option, each with the words after which it may come. */
final class FishCompletion {
    private final StringBuilder script = new StringBuilder();

    private FishCompletion() {}

    static String of(CommandSpec root) {
        FishCompletion completion = new FishCompletion();
        completion.script.append("complete -c ").append(root.name()).append(" -f\n");
        completion.add(root.name(), root, List.of());
        return completion.script.toString();
    }

    /** @param path names of the commands that lead to this one */
    private void add(String program, CommandSpec command, List<String> path) {
        SortedMap<String, CommandSpec> subcommands = new TreeMap<>();
        for (CommandLine sub : command.subcommands().values()) {
            if (!sub.getCommandSpec().usageMessage().hidden()) {
                subcommands.put(sub.getCommandName(), sub.getCommandSpec());
            }
        }
        Set<String> names = subcommands.keySet();
        String here = after(path);
        String beforeSubcommand = names.isEmpty() ? here : and(here, "not " + seen(names));
        subcommands.forEach((name, sub) ->
                line(program, beforeSubcommand, "-a " + name, sub.usageMessage().description()));
        for (OptionSpec option : command.options()) {
            if (!option.hidden()) {
                line(program, beforeSubcommand, flags(option), option.description());
            }
        }
        subcommands.forEach((name, sub) ->
                add(program, sub, Stream.concat(path.stream(), Stream.of(name)).toList()));
    }

    private static String after(List<String> path) {
        return path.stream().map(name -> seen(Set.of(name))).collect(Collectors.joining("; and "));
    }

    private static String and(String condition, String other) {
        return condition.isEmpty() ? other : condition + "; and " + other;
    }

    private static String seen(Set<String> names) {
        return "__fish_seen_subcommand_from " + String.join(" ", names);
    }

    private static String flags(OptionSpec option) {
        String names = Arrays.stream(option.names())
                .map(name -> name.startsWith("--") ? "-l " + name.substring(2) : "-s " + name.substring(1))
                .collect(Collectors.joining(" "));
        // A value may be a file, which fish then offers.
        return option.arity().max() == 0 ? names : names + " -r -F";
    }

    private void line(String program, String condition, String what, String[] description) {
        script.append("complete -c ").append(program);
        if (!condition.isEmpty()) {
            script.append(" -n '").append(condition).append('\'');
        }
        script.append(' ').append(what);
        if (description.length > 0) {
            String text = CommandLine.Help.Ansi.OFF.string(
                    String.format(description[0]).strip().replace("\n", " "));
            script.append(" -d '")
                    .append(text.replace("\\", "\\\\").replace("'", "\\'"))
                    .append('\'');
        }
        script.append('\n');
    }
}
