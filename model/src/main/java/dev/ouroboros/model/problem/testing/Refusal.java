package dev.ouroboros.model.problem.testing;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;

/**
 * That work is refused with one problem only, and what this one tells. The name of a part alone requires the whole text of this
 * part, with more words behind it some of the text.
 */
public final class Refusal {
    private final ProblemException failure;
    private final Problem problem;

    private Refusal(ProblemException failure) {
        this.failure = failure;
        this.problem = failure.problems().getFirst();
    }

    /** What is to be refused. */
    public interface Work {
        void run() throws Exception;
    }

    /** Does the work, and requires one problem and its code. */
    public static Refusal of(Work work, ErrorCode code) {
        return of(thrownBy(work), code);
    }

    /** The same of what was thrown before, in another thread perhaps. */
    public static Refusal of(Throwable thrown, ErrorCode code) {
        if (!(thrown instanceof ProblemException failure)) {
            throw new AssertionError("a ProblemException was expected, this was thrown: " + thrown, thrown);
        }
        if (failure.problems().size() != 1) {
            throw new AssertionError("one problem was expected, these were found:\n" + failure.describe(), failure);
        }
        Refusal refusal = new Refusal(failure);
        return refusal.require(refusal.problem.code() == code, "code", refusal.problem.code(), "", code);
    }

    /**
     * Does the work, and requires what most tests do.
     *
     * @param where the whole, a text or a path; of the others the parts that matter
     */
    public static void of(Work work, ErrorCode code, Object where, String what, String next) {
        of(work, code).where(where).whatContains(what).nextContains(next);
    }

    private static Exception thrownBy(Work work) {
        try {
            work.run();
        } catch (Exception e) {
            return e;
        }
        throw new AssertionError("a ProblemException was expected, nothing was thrown");
    }

    /** @param expected a text or a path */
    public Refusal where(Object expected) {
        return equal("where", problem.where(), expected.toString());
    }

    public Refusal whereContains(String... parts) {
        return contains("where", problem.where(), parts);
    }

    public Refusal what(String expected) {
        return equal("what", problem.what(), expected);
    }

    public Refusal whatStartsWith(String start) {
        return require(problem.what().startsWith(start), "what", problem.what(), "to start with ", start);
    }

    public Refusal whatContains(String... parts) {
        return contains("what", problem.what(), parts);
    }

    public Refusal next(String expected) {
        return equal("next", problem.next(), expected);
    }

    public Refusal nextContains(String... parts) {
        return contains("next", problem.next(), parts);
    }

    /** The line that people see. */
    public Refusal line(String expected) {
        return equal("line", problem.describe(), expected);
    }

    public Refusal lineContains(String... parts) {
        return contains("line", problem.describe(), parts);
    }

    private Refusal equal(String part, String actual, String expected) {
        return require(actual.equals(expected), part, actual, "", expected);
    }

    private Refusal contains(String part, String actual, String... parts) {
        for (String expected : parts) {
            require(actual.contains(expected), part, actual, "to contain ", expected);
        }
        return this;
    }

    private Refusal require(boolean met, String part, Object actual, String how, Object expected) {
        if (!met) {
            throw new AssertionError(
                    "%s: expected %s<%s>, but was <%s>, in: %s"
                            .formatted(part, how, expected, actual, problem.describe()),
                    failure);
        }
        return this;
    }
}
