package dev.ouroboros.status.source;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** Waits for what was asked on another thread; each question has a time limit of its own. */
final class AwaitedAnswer {
    private AwaitedAnswer() {}

    static <T> T of(Future<T> asked) {
        try {
            return asked.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ProblemException.of(
                    ErrorCode.TIMEOUT,
                    "status",
                    "interrupted while waiting for an answer",
                    "",
                    "run the same command again");
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case null, default -> throw new IllegalStateException("no source throws this", e.getCause());
            }
        }
    }
}
