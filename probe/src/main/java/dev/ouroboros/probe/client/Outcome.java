package dev.ouroboros.probe.client;

import java.util.Optional;

/** How a request ended. */
public sealed interface Outcome {
    /** How often the request was sent again. */
    int retries();

    /**
     * The API answered, perhaps with a refusal.
     *
     * @param retries how often the request was sent again before this answer
     */
    record Answered(int status, String body, int retries) implements Outcome {}

    /** No answer: the reason is for people. */
    record Failed(String reason, int retries) implements Outcome {}

    /** Empty when the status is one of success, else why the request failed. */
    default Optional<String> failure() {
        return switch (this) {
            case Answered(int status, String _, int _) when status >= 200 && status < 300 -> Optional.empty();
            case Answered(int status, String body, int _) -> Optional.of("HTTP " + status + ": " + excerpt(body));
            case Failed(String reason, int _) -> Optional.of(reason);
        };
    }

    private static String excerpt(String body) {
        String line = body.strip().replaceAll("\\s+", " ");
        return line.length() <= 160 ? line : line.substring(0, 160) + "...";
    }
}
