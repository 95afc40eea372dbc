package dev.ouroboros.model.flags;

import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.net.InetAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the flags of a daemon, all as {@code --name=value}. What is wrong with any of them is gathered, and said at once by {@link #end}; what
 * a wrong flag is read as until then is of no use.
 */
public final class DaemonFlags {
    private static final Pattern TIME = Pattern.compile("(\\d{1,6})(ms|s|m|h)");
    private static final int LARGEST_PORT = 65_535;

    private final Map<String, String> given = new LinkedHashMap<>();
    private final List<Problem> problems = new ArrayList<>();
    private final String next;

    /** @param next where a person finds the flags of a running daemon, and all that there are */
    public DaemonFlags(List<String> arguments, String next) {
        this.next = next;
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (!argument.startsWith("--") || equals < 0) {
                problem(argument, "is not understood", "--name=value");
            } else if (given.put(argument.substring(2, equals), argument.substring(equals + 1)) != null) {
                problem(argument, "is given twice", "");
            }
        }
    }

    /** Gathers what is wrong with a flag, as {@code --name} or as it was given. */
    public void problem(String flag, String what, String expected) {
        problems.add(new Problem(ErrorCode.INVALID_FLAG, flag, what, expected, next));
    }

    /**
     * To be called when every flag was asked for.
     *
     * @throws ProblemException with everything that is wrong, flags that nobody asked for among it
     */
    public void end() {
        given.keySet().forEach(name -> problem("--" + name, "is not known", "a flag that --help lists"));
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
    }

    public Optional<String> optional(String name) {
        return Optional.ofNullable(given.remove(name)).filter(value -> !value.isEmpty());
    }

    public String required(String name) {
        Optional<String> value = optional(name);
        if (value.isEmpty()) {
            problem("--" + name, "is not set", "");
        }
        return value.orElse("");
    }

    public String text(String name, String fallback, Pattern syntax) {
        String value = optional(name).orElse(fallback);
        if (!syntax.matcher(value).matches()) {
            problem("--" + name, "found \"" + value + "\"", "as " + fallback);
        }
        return value;
    }

    /** A list with commas between its values, which must be given. */
    public <T> List<T> list(String name, String expected, Function<String, Optional<T>> parser) {
        List<T> values = new ArrayList<>();
        Optional<String> value = optional(name);
        if (value.isEmpty()) {
            problem("--" + name, "is not set", expected);
            return values;
        }
        for (String text : value.get().split(",", -1)) {
            Optional<T> parsed = parser.apply(text);
            if (parsed.isEmpty()) {
                problem("--" + name, "found \"" + text + "\"", expected);
            }
            parsed.ifPresent(values::add);
        }
        return values;
    }

    /** Addresses, which must be given. Names would be looked up, and there may be no DNS to ask. */
    public List<InetAddress> addresses(String name) {
        return list(name, "IP addresses, as 192.0.2.10 or 2001:db8::10", Cidr::address);
    }

    public Path path(String name, String fallback) {
        return path(name, optional(name).orElse(fallback), Path.of(fallback));
    }

    public Path requiredPath(String name) {
        return path(name, required(name), Path.of(""));
    }

    private Path path(String name, String value, Path fallback) {
        try {
            return Path.of(value);
        } catch (InvalidPathException e) {
            problem("--" + name, "\"" + value + "\" is no path", "");
            return fallback;
        }
    }

    public int port(String name, int fallback) {
        return number(name, fallback, 1, LARGEST_PORT);
    }

    public int number(String name, int fallback, int least, int most) {
        Optional<String> value = optional(name);
        if (value.isEmpty()) {
            return fallback;
        }
        if (value.get().matches("\\d{1,5}")) {
            int number = Integer.parseInt(value.get());
            if (number >= least && number <= most) {
                return number;
            }
        }
        problem("--" + name, "found \"" + value.get() + "\"", least + " to " + most);
        return fallback;
    }

    public boolean bool(String name, boolean fallback) {
        String value = optional(name).orElse(Boolean.toString(fallback));
        if (!value.equals("true") && !value.equals("false")) {
            problem("--" + name, "found \"" + value + "\"", "true or false");
        }
        return value.equals("true");
    }

    /** @param shortest that is taken; a time is more than none in any case */
    public Duration time(String name, Duration fallback, Duration shortest) {
        Optional<String> value = optional(name);
        if (value.isEmpty()) {
            return fallback;
        }
        Matcher matcher = TIME.matcher(value.get());
        if (!matcher.matches()) {
            problem("--" + name, "\"" + value.get() + "\" is no time", "as 500ms, 3s, 5m or 1h");
            return fallback;
        }
        long amount = Long.parseLong(matcher.group(1));
        Duration time = switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            default -> Duration.ofHours(amount);
        };
        if (time.isZero() || time.compareTo(shortest) < 0) {
            problem(
                    "--" + name,
                    "\"" + value.get() + "\" is too short",
                    shortest.isZero() ? "" : shortest.toSeconds() + "s at least");
        }
        return time;
    }

    public Level level() {
        String value = optional("log-level").orElse("info");
        return switch (value) {
            case "debug" -> Level.FINE;
            case "info" -> Level.INFO;
            case "warn" -> Level.WARNING;
            case "error" -> Level.SEVERE;
            default -> {
                problem("--log-level", "\"" + value + "\" is no level", "debug, info, warn or error");
                yield Level.INFO;
            }
        };
    }
}
