package dev.ouroboros.snapshot;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One condition of a label selector.
 *
 * @param value that the label must have, or must not have; any when empty
 */
public record LabelRequirement(String key, Optional<String> value, boolean negated) {
    private static final Pattern REQUIREMENT =
            Pattern.compile("(?<not>!)?(?<key>[A-Za-z0-9./_-]+)(?:(?<operator>==|=|!=)(?<value>[A-Za-z0-9._-]*))?");

    /** Reads {@code a=b,c!=d,e,!f}, as kubectl does. */
    public static List<LabelRequirement> parse(String selector) {
        return Stream.of(selector.split(",", -1))
                .map(String::strip)
                .map(LabelRequirement::one)
                .toList();
    }

    private static LabelRequirement one(String text) {
        Matcher matcher = REQUIREMENT.matcher(text);
        if (!matcher.matches() || (matcher.group("not") != null && matcher.group("operator") != null)) {
            throw ProblemException.of(
                    ErrorCode.INVALID_FLAG,
                    "--selector",
                    "'" + text + "' is no requirement",
                    "a=b, a!=b, a or !a",
                    "write it as in --selector tier=control-plane");
        }
        return new LabelRequirement(
                matcher.group("key"),
                Optional.ofNullable(matcher.group("value")),
                matcher.group("not") != null || "!=".equals(matcher.group("operator")));
    }

    boolean matches(Optional<String> label) {
        boolean holds = value.isPresent() ? label.equals(value) : label.isPresent();
        return holds != negated;
    }
}
