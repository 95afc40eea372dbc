package dev.ouroboros.probe.client;

import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Says why a connection failed, in the words of the field and without class names where Java has a message. */
final class ProbeFailures {
    private ProbeFailures() {}

    static String describe(Throwable failure) {
        Throwable cause = unwrap(failure);
        if (cause instanceof HttpTimeoutException) {
            return "timeout: " + message(cause);
        }
        if (cause instanceof ConnectException) {
            // The JDK's HTTP client has lost the reason by now; its message is null.
            return "connect: " + (cause.getMessage() == null ? "no connection" : cause.getMessage());
        }
        return message(cause);
    }

    static Throwable unwrap(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof ExecutionException || cause instanceof CompletionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static String message(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }
}
