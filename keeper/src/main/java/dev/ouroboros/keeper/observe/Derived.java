package dev.ouroboros.keeper.observe;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What follows from sources alone, worked out anew only when one of them says something else: most decisions are made on the same
 * values as the decision before.
 */
final class Derived<T> {
    private Optional<Result<T>> last = Optional.empty();

    private record Result<T>(List<?> sources, T value) {}

    /** @param sources everything that the work looks at: what they say now, immutable */
    synchronized T of(Supplier<List<?>> sources, Supplier<T> work) {
        List<?> now = sources.get();
        if (last.isPresent() && last.get().sources().equals(now)) {
            return last.get().value();
        }
        T value = work.get();
        // If a source changed meanwhile, the work may have seen its old or its new value: then the result is not
        // kept.
        last = sources.get().equals(now) ? Optional.of(new Result<>(now, value)) : Optional.empty();
        return value;
    }
}
