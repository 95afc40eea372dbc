package dev.ouroboros.model.problem;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Ends an operation with one or more problems; the only exception that reaches a user, and never as a stack trace. */
public final class ProblemException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    public ProblemException(List<Problem> problems) {
        this(problems, null);
    }

    public ProblemException(Problem problem) {
        this(List.of(problem), null);
    }

    public ProblemException(Problem problem, Throwable cause) {
        this(List.of(problem), cause);
    }

    private ProblemException(List<Problem> problems, @Nullable Throwable cause) {
        super(problems.stream().map(Problem::describe).collect(Collectors.joining("\n")), cause);
        if (problems.isEmpty()) {
            throw new IllegalArgumentException("a ProblemException needs at least one problem");
        }
        this.problems = List.copyOf(problems);
    }

    /** Shorthand for a single problem. */
    public static ProblemException of(ErrorCode code, String where, String what, String expected, String next) {
        return new ProblemException(new Problem(code, where, what, expected, next));
    }

    /** All problems, a line each. */
    public String describe() {
        return problems.stream().map(Problem::describe).collect(Collectors.joining("\n"));
    }

    public List<Problem> problems() {
        return problems;
    }
}
