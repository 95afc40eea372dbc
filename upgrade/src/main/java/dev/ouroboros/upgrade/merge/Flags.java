package dev.ouroboros.upgrade.merge;

import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The command line of a container by flag, so that each flag can be compared and merged alone.
 *
 * @param program what stands before the first flag
 * @param flags by name with its dashes, each with its uses in order
 */
record Flags(List<String> program, Map<String, List<Use>> flags) {
    Flags {
        program = List.copyOf(program);
    }

    /**
     * One use of a flag.
     *
     * @param words as the command line has them
     * @param value what the flag is set to; a flag without a value is true
     */
    record Use(List<String> words, String value) {
        static Use of(String name, String value) {
            return new Use(List.of(name + "=" + value), value);
        }
    }

    /** Of a {@code command} or {@code args}; empty when it is more than a program and flags, a shell's text for example. */
    static Optional<Flags> of(Json list) {
        List<String> words = new ArrayList<>();
        for (Json word : list.items()) {
            if (word.text().isEmpty()) {
                return Optional.empty();
            }
            words.add(word.text().orElseThrow());
        }
        if (new CommandLine(words).isShell()) {
            return Optional.empty();
        }
        List<String> program =
                words.stream().takeWhile(word -> !word.startsWith("-")).toList();
        Map<String, List<Use>> flags = new LinkedHashMap<>();
        int at = program.size();
        while (at < words.size()) {
            String word = words.get(at);
            if (!word.startsWith("-") || word.equals("-") || word.equals("--")) {
                return Optional.empty();
            }
            int equals = word.indexOf('=');
            String name = equals < 0 ? word : word.substring(0, equals);
            boolean isFollowed =
                    equals < 0 && at + 1 < words.size() && !words.get(at + 1).startsWith("-");
            Use use = equals >= 0
                    ? new Use(List.of(word), word.substring(equals + 1))
                    : isFollowed
                            ? new Use(List.of(word, words.get(at + 1)), words.get(at + 1))
                            : new Use(List.of(word), "true");
            flags.computeIfAbsent(name, _ -> new ArrayList<>()).add(use);
            at += use.words().size();
        }
        return Optional.of(new Flags(program, flags));
    }

    List<Use> uses(String flag) {
        return flags.getOrDefault(flag, List.of());
    }

    List<String> values(String flag) {
        return uses(flag).stream().map(Use::value).toList();
    }

    Json toJson() {
        List<String> words = new ArrayList<>(program);
        flags.values().forEach(uses -> uses.forEach(use -> words.addAll(use.words())));
        return Json.texts(words);
    }
}
