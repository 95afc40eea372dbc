package dev.ouroboros.node.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A child process to run.
 *
 * @param arguments program and arguments; no shell is involved
 * @param environment variables added to the inherited environment
 * @param directory working directory, or empty for ours
 * @param input what the child reads on standard input
 * @param timeout after which the child and its descendants are killed
 */
public record Command(
        List<String> arguments,
        Map<String, String> environment,
        Optional<Path> directory,
        String input,
        Duration timeout) {
    /** Time a child gets when nothing else is said. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

    public Command {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        if (arguments.isEmpty()) {
            throw new IllegalArgumentException("a command needs a program");
        }
    }

    public static Command of(String... arguments) {
        return of(List.of(arguments));
    }

    public static Command of(List<String> arguments) {
        return new Command(arguments, Map.of(), Optional.empty(), "", DEFAULT_TIMEOUT);
    }

    public Command withTimeout(Duration newTimeout) {
        return new Command(arguments, environment, directory, input, newTimeout);
    }

    public Command withInput(String newInput) {
        return new Command(arguments, environment, directory, newInput, timeout);
    }

    public Command withDirectory(Path newDirectory) {
        return new Command(arguments, environment, Optional.of(newDirectory), input, timeout);
    }

    public Command withEnvironment(String name, String value) {
        Map<String, String> extended = new LinkedHashMap<>(environment);
        extended.put(name, value);
        return new Command(arguments, extended, directory, input, timeout);
    }

    /** This command behind another one that executes its arguments, such as {@code nsenter} or {@code nice}. */
    public Command behind(List<String> prefix) {
        List<String> all = new ArrayList<>(prefix);
        all.addAll(arguments);
        return new Command(all, environment, directory, input, timeout);
    }

    /** The command as a person would type it, for messages. */
    public String describe() {
        return String.join(" ", arguments);
    }
}
