package dev.ouroboros.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What a failure must tell: which one it is, where, what, and what to do next. */
final class Failures {
    private Failures() {}

    static void assertFails(ThrowingCallable work, ErrorCode code, String where, String what, String next) {
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
