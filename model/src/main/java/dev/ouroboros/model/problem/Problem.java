package dev.ouroboros.model.problem;

import static java.util.Objects.requireNonNull;

/**
 * One thing that is wrong, complete enough to act on.
 *
 * @param code which kind of problem this is
 * @param where file and line, flag, object and field, or component: where a person must look
 * @param what what was found there
 * @param expected what is allowed or was expected; empty when {@code what} says it all
 * @param next the next thing to do: a command, a file or a flag. Never empty, and no place that makes a problem may leave it
 *     empty: {@code RemedyTest} in {@code cli} looks at all of them
 */
public record Problem(ErrorCode code, String where, String what, String expected, String next) {
    public Problem {
        requireNonNull(code, "code");
        requireNonNull(where, "where");
        requireNonNull(what, "what");
        requireNonNull(expected, "expected");
        requireNonNull(next, "next");
        if (what.isBlank()) {
            throw new IllegalArgumentException("a problem must say what is wrong");
        }
        if (next.isBlank()) {
            throw new IllegalArgumentException("a problem must say what to do next: " + what);
        }
    }

    /** The problem as one line for people: {@code where: what; expected ...; next}. */
    public String describe() {
        return describe(next);
    }

    /** The same with the next thing to do in words that fit where it is said. */
    public String describe(String advice) {
        StringBuilder line = new StringBuilder();
        if (!where.isEmpty()) {
            line.append(where).append(": ");
        }
        line.append(what);
        if (!expected.isEmpty()) {
            line.append("; expected ").append(expected);
        }
        return line.append("; ").append(advice).toString();
    }
}
