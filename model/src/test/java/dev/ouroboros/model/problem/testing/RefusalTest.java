package dev.ouroboros.model.problem.testing;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** It is what many tests rely on: it must not let pass what is not there. */
final class RefusalTest {
    private static final Problem PROBLEM =
            new Problem(ErrorCode.DISK, "/etc/file", "cannot be read: gone", "a file", "put it back and run it again");

    private static Refusal refusal() {
        return Refusal.of(new ProblemException(PROBLEM), ErrorCode.DISK);
    }

    @Test
    void letsPassWhatIsThere() {
        assertThatCode(() -> refusal()
                        .where("/etc/file")
                        .whereContains("/etc", "file")
                        .what("cannot be read: gone")
                        .whatStartsWith("cannot be read: ")
                        .whatContains("read", "gone")
                        .next("put it back and run it again")
                        .nextContains("put it back", "run it again")
                        .line("/etc/file: cannot be read: gone; expected a file; put it back and run it again")
                        .lineContains("expected a file"))
                .doesNotThrowAnyException();
    }

    static Stream<Consumer<Refusal>> wrong() {
        return Stream.of(
                refusal -> refusal.where("/etc"),
                refusal -> refusal.whereContains("/etc", "other"),
                refusal -> refusal.what("cannot be read"),
                refusal -> refusal.whatStartsWith("read"),
                refusal -> refusal.whatContains("read", "written"),
                refusal -> refusal.next("put it back"),
                refusal -> refusal.nextContains("put it back", "throw it away"),
                refusal -> refusal.line("/etc/file: cannot be read: gone"),
                refusal -> refusal.lineContains("/etc/file", "expected a directory"));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void saysWhatIsThereInstead(Consumer<Refusal> requirement) {
        assertThatThrownBy(() -> requirement.accept(refusal()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("expected ")
                .hasMessageContaining(PROBLEM.describe())
                .hasCauseInstanceOf(ProblemException.class);
    }

    @Test
    void requiresThreePartsAtOnce() {
        Refusal.Work work = () -> {
            throw new ProblemException(PROBLEM);
        };
        assertThatCode(() -> Refusal.of(work, ErrorCode.DISK, "/etc/file", "gone", "put it back"))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> Refusal.of(work, ErrorCode.DISK, "/etc", "gone", "put it back"))
                .hasMessageStartingWith("where: expected </etc>, but was </etc/file>");
        assertThatThrownBy(() -> Refusal.of(work, ErrorCode.DISK, "/etc/file", "full", "put it back"))
                .hasMessageStartingWith("what: expected to contain <full>");
        assertThatThrownBy(() -> Refusal.of(work, ErrorCode.DISK, "/etc/file", "gone", "make room"))
                .hasMessageStartingWith("next: expected to contain <make room>");
    }

    @Test
    void requiresOneProblemOfTheCode() {
        assertThatThrownBy(() -> Refusal.of(() -> {}, ErrorCode.DISK)).hasMessageContaining("nothing was thrown");
        assertThatThrownBy(() -> Refusal.of(new IOException("no room"), ErrorCode.DISK))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("no room");
        assertThatThrownBy(() -> Refusal.of(new ProblemException(PROBLEM), ErrorCode.TIMEOUT))
                .hasMessageStartingWith("code: expected <TIMEOUT>, but was <DISK>");
        assertThatThrownBy(() -> Refusal.of(new ProblemException(List.of(PROBLEM, PROBLEM)), ErrorCode.DISK))
                .hasMessageStartingWith("one problem was expected");
    }
}
