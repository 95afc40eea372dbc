package dev.ouroboros.keeper.observe;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What follows from sources alone, worked out anew only when one of them says something else: most decisions are made on what the one
 * before was made on.
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
        // A source that changed meanwhile may have been seen before or after: then it is not known what this follows
        // from.
        last = sources.get().equals(now) ? Optional.of(new Result<>(now, value)) : Optional.empty();
        return value;
    }
}
