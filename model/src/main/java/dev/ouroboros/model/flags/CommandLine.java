package dev.ouroboros.model.flags;

import dev.ouroboros.model.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The words that start a program, with its flags as {@code --flag=value} or {@code --flag value}.
 *
 * @param words the program, if it is not the image's entry point, and its arguments
 */
public record CommandLine(List<String> words) {
    public CommandLine {
        words = List.copyOf(words);
    }

    /** Command and arguments of a container, in this order, as the kubelet starts them. */
    public static CommandLine of(Json container) {
        return new CommandLine(Stream.of("command", "args")
                .flatMap(field -> container.at(field).items().stream())
                .flatMap(word -> word.text().stream())
                .toList());
    }

    /** The value that counts: the last one. Empty text for a flag without a value. */
    public Optional<String> value(String flag) {
        Optional<String> value = Optional.empty();
        for (int at = 0; at < words.size(); at++) {
            if (words.get(at).startsWith("--" + flag + "=")) {
                value = Optional.of(words.get(at).substring(flag.length() + 3));
            } else if (words.get(at).equals("--" + flag)) {
                value = Optional.of(isValue(at + 1) ? words.get(at + 1) : "");
            }
        }
        return value;
    }

    /** Every value of a flag that may be given more than once, in its order. */
    public List<String> values(String flag) {
        List<String> values = new ArrayList<>();
        for (int at = 0; at < words.size(); at++) {
            if (words.get(at).startsWith("--" + flag + "=")) {
                values.add(words.get(at).substring(flag.length() + 3));
            } else if (words.get(at).equals("--" + flag) && isValue(at + 1)) {
                values.add(words.get(at + 1));
            }
        }
        return values;
    }

    /** Every flag by its name, once, in order. */
    public List<String> flags() {
        return words.stream()
                .filter(word -> word.startsWith("--") && word.length() > 2)
                .map(word -> word.substring(2).split("=", 2)[0])
                .distinct()
                .toList();
    }

    /** The same with these flags set, each once and after everything else. Set twice they change nothing more. */
    public CommandLine with(Map<String, String> flags) {
        List<String> changed = new ArrayList<>();
        for (int at = 0; at < words.size(); at++) {
            String word = words.get(at);
            int equals = word.indexOf('=');
            String name = equals < 0 ? word : word.substring(0, equals);
            if (!name.startsWith("--") || !flags.containsKey(name.substring(2))) {
                changed.add(word);
            } else if (equals < 0 && isValue(at + 1)) {
                at++;
            }
        }
        flags.forEach((flag, value) -> changed.add("--" + flag + "=" + value));
        return new CommandLine(changed);
    }

    /** Whether the flags are inside the text of a shell, where they cannot be set. */
    public boolean isShell() {
        return !words.isEmpty()
                && words.getFirst().matches("(.*/)?(sh|bash|ash|dash|busybox)")
                && words.stream().anyMatch(word -> word.matches("-[a-z]*c"));
    }

    private boolean isValue(int at) {
        return at < words.size() && !words.get(at).startsWith("-");
    }
}
