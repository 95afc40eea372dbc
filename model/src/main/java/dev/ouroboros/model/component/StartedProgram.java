package dev.ouroboros.model.component;

import dev.ouroboros.model.flags.CommandLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The program that a command line starts: what comes behind programs that only start another (flock, tini, a shell's {@code exec}). It is
 * not looked for among operands: {@code rm -r /var/lib/etcd} is no etcd.
 */
final class StartedProgram {
    private static final String HYPERKUBE = "hyperkube";

    /** Programs that start another one, and how many operands they have before it. A shell without {@code -c} runs a file. */
    private static final Map<String, Integer> STARTERS = Map.ofEntries(
            Map.entry("ash", 0),
            Map.entry("bash", 0),
            Map.entry("catatonit", 0),
            Map.entry("chrt", 1),
            Map.entry("command", 0),
            Map.entry("dash", 0),
            Map.entry("dumb-init", 0),
            Map.entry("env", 0),
            Map.entry("exec", 0),
            Map.entry("flock", 1),
            Map.entry("go-runner", 0),
            Map.entry("gosu", 1),
            Map.entry("ionice", 0),
            Map.entry("nice", 0),
            Map.entry("nohup", 0),
            Map.entry("setsid", 0),
            Map.entry("sh", 0),
            Map.entry("stdbuf", 0),
            Map.entry("su-exec", 1),
            Map.entry("taskset", 1),
            Map.entry("timeout", 1),
            Map.entry("tini", 0));

    /** Words of a shell after which a command comes. */
    private static final Set<String> KEYWORDS = Set.of("!", "(", "{", "do", "else", "if", "then", "until", "while");

    private StartedProgram() {}

    /** The component that these words start, if they start one. */
    static Optional<Component> of(CommandLine commandLine) {
        return commandLine.isShell() ? ofShell(commandLine.words()) : ofCommand(commandLine.words());
    }

    /** The text of a shell is every word that is not a flag of the shell itself; of its commands the first that is a component counts. */
    private static Optional<Component> ofShell(List<String> words) {
        return words.stream()
                .skip(1)
                .filter(word -> !word.startsWith("-"))
                .flatMap(text -> commands(text).stream())
                .flatMap(command -> ofCommand(command).stream())
                .findFirst();
    }

    private static List<List<String>> commands(String text) {
        List<List<String>> commands = new ArrayList<>();
        for (String command : text.replace("\\\n", " ").split("[\\n;&|]+", -1)) {
            List<String> words = new ArrayList<>(List.of(command.strip().split("\\s+", -1)));
            while (!words.isEmpty() && KEYWORDS.contains(words.getFirst())) {
                words.removeFirst();
            }
            commands.add(words);
        }
        return commands;
    }

    private static Optional<Component> ofCommand(List<String> words) {
        int at = skipSettings(words, 0);
        while (at < words.size()) {
            String program = baseName(words.get(at));
            Integer operands = STARTERS.get(program);
            if (operands == null) {
                return program.equals(HYPERKUBE) && at + 1 < words.size()
                        ? Component.ofHyperkubeWord(words.get(at + 1))
                        : Component.ofId(program);
            }
            at = skipSettings(words, skipFlags(words, at + 1) + operands);
        }
        return Optional.empty();
    }

    /** Over {@code NAME=value}, as before a command or after env. */
    private static int skipSettings(List<String> words, int from) {
        int at = from;
        while (at < words.size() && words.get(at).matches("[A-Za-z_][A-Za-z0-9_]*=.*")) {
            at++;
        }
        return at;
    }

    /** Over flags, and a number that may be the value of one: {@code nice -n 5}. */
    private static int skipFlags(List<String> words, int from) {
        int at = from;
        while (at < words.size() && words.get(at).startsWith("-")) {
            at++;
            if (at < words.size()
                    && !words.get(at - 1).contains("=")
                    && words.get(at).matches("\\d+")) {
                at++;
            }
        }
        return at;
    }

    private static String baseName(String word) {
        String bare = word.replaceAll("[\"']", "");
        return bare.substring(bare.lastIndexOf('/') + 1);
    }
}
