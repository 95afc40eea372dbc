package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.json.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The annotation by which a pod says where its understudy listens: {@code flag=port[,flag=port]}. */
final class UnderstudyPorts {
    static final String ANNOTATION = "ouroboros.dev/understudy-ports";

    private static final Pattern ENTRY = Pattern.compile("\\s*(?:--)?([a-zA-Z0-9][-_.a-zA-Z0-9]*)=(\\d{1,5})\\s*");

    /** A port alone, or an address before it: {@code :8080}, {@code 0.0.0.0:8080}, {@code [::]:8080}. */
    private static final Pattern ADDRESS = Pattern.compile("(.*:)?\\d{1,5}");

    private UnderstudyPorts() {}

    static Optional<String> annotation(Json pod) {
        return pod.at("metadata", "annotations", ANNOTATION).text();
    }

    /** Whether every entry can be understood, and every flag is passed by some container, with a port in its value. */
    static boolean canBeFollowed(String annotation, Json pod) {
        List<CommandLine> commandLines = LocatedJson.containersOf(pod).stream()
                .map(container -> CommandLine.of(container.value()))
                .toList();
        Map<String, String> ports = parse(annotation);
        return !ports.isEmpty()
                && ports.keySet().stream()
                        .allMatch(flag -> commandLines.stream()
                                .anyMatch(line -> moved(line, flag, "1").isPresent()));
    }

    /** The same command line, with the new ports in those of the annotation's flags that it has. */
    static CommandLine apply(String annotation, CommandLine commandLine) {
        Map<String, String> changed = new LinkedHashMap<>();
        parse(annotation)
                .forEach((flag, port) -> moved(commandLine, flag, port).ifPresent(value -> changed.put(flag, value)));
        return commandLine.with(changed);
    }

    private static Optional<String> moved(CommandLine commandLine, String flag, String port) {
        return commandLine
                .value(flag)
                .map(ADDRESS::matcher)
                .filter(Matcher::matches)
                .map(matcher -> Optional.ofNullable(matcher.group(1)).orElse("") + port);
    }

    /** The flags and their ports, in order; empty when any entry is wrong. */
    private static Map<String, String> parse(String annotation) {
        Map<String, String> ports = new LinkedHashMap<>();
        for (String entry : annotation.split(",", -1)) {
            Matcher matcher = ENTRY.matcher(entry);
            if (!matcher.matches() || !isPort(Integer.parseInt(matcher.group(2)))) {
                return Map.of();
            }
            ports.put(matcher.group(1), matcher.group(2));
        }
        return ports;
    }

    private static boolean isPort(int number) {
        return number >= 1 && number <= 65535;
    }
}
