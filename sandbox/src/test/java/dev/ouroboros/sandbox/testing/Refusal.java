package dev.ouroboros.sandbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** One problem: what, where, and what to do. */
public final class Refusal {
    private Refusal() {}

    /** @param where the whole, of the others the parts that matter */
    public static void of(ThrowingCallable work, ErrorCode code, String where, String what, String next) {
        assertThatThrownBy(work)
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems())
                                .singleElement()
                                .satisfies(problem -> {
                                    assertThat(problem.code()).isEqualTo(code);
                                    assertThat(problem.where()).isEqualTo(where);
                                    assertThat(problem.what()).contains(what);
                                    assertThat(problem.next()).contains(next);
                                }));
    }
}
