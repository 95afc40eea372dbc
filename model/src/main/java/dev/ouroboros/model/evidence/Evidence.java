package dev.ouroboros.model.evidence;

import dev.ouroboros.model.problem.ProblemException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The answer of one source. A source that failed, or was not asked yet, is {@link Unknown}: nothing may be removed or retired on
 * that (docs/architecture.md, rule 1).
 */
public sealed interface Evidence<T> {
    record Known<T>(T value) implements Evidence<T> {}

    /** @param reason why there is no answer, for people */
    record Unknown<T>(String reason) implements Evidence<T> {}

    static <T> Evidence<T> known(T value) {
        return new Known<>(value);
    }

    static <T> Evidence<T> unknown(String reason) {
        return new Unknown<>(reason);
    }

    /** What a source says; its first problem is why it says nothing. */
    static <T> Evidence<T> asking(Supplier<? extends T> source) {
        try {
            return new Known<>(source.get());
        } catch (ProblemException e) {
            return new Unknown<>(e.problems().getFirst().describe());
        }
    }

    /** True only when the value is known and the condition holds for it. */
    default boolean is(Predicate<? super T> condition) {
        return this instanceof Known<T>(T value) && condition.test(value);
    }

    /** What is made of the value, when that is known. */
    default <U> Evidence<U> map(Function<? super T, ? extends U> change) {
        return switch (this) {
            case Known<T>(T value) -> new Known<>(change.apply(value));
            case Unknown<T>(String reason) -> new Unknown<>(reason);
        };
    }

    /** What another source says of the value, when that is known. */
    default <U> Evidence<U> flatMap(Function<? super T, Evidence<U>> next) {
        return switch (this) {
            case Known<T>(T value) -> next.apply(value);
            case Unknown<T>(String reason) -> new Unknown<>(reason);
        };
    }

    /** True only when it is known to be true. */
    static boolean isTrue(Evidence<Boolean> evidence) {
        return evidence.is(value -> value);
    }

    /** True only when it is known to be false. */
    static boolean isFalse(Evidence<Boolean> evidence) {
        return evidence.is(value -> !value);
    }

    /** Why there is no answer, as the end of a sentence: {@code ": nobody answers"}; empty when there is one. */
    default String because() {
        return this instanceof Unknown<T>(String reason) ? ": " + reason : "";
    }

    default T orElse(T fallback) {
        return this instanceof Known<T>(T value) ? value : fallback;
    }
}
