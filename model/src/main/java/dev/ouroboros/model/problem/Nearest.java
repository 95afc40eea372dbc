package dev.ouroboros.model.problem;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Guesses what a misspelt word was meant to be. */
public final class Nearest {
    private Nearest() {}

    /** The known word with the smallest edit distance, if it is near enough to be a guess and not noise. */
    public static Optional<String> to(String word, Collection<String> known) {
        int limit = Math.max(2, word.length() / 3);
        return known.stream()
                .filter(candidate -> Math.abs(candidate.length() - word.length()) <= limit)
                .map(candidate -> new Guess(candidate, distance(word, candidate)))
                .filter(guess -> guess.distance <= limit)
                .min(Comparator.comparingInt(Guess::distance).thenComparing(Guess::word))
                .map(Guess::word);
    }

    private record Guess(String word, int distance) {}

    /** Levenshtein's distance, row by row, ignoring case. */
    private static int distance(String left, String right) {
        int[] previous = new int[right.length() + 1];
        int[] current = new int[right.length() + 1];
        for (int column = 0; column <= right.length(); column++) {
            previous[column] = column;
        }
        for (int row = 1; row <= left.length(); row++) {
            current[0] = row;
            for (int column = 1; column <= right.length(); column++) {
                boolean same =
                        Character.toLowerCase(left.charAt(row - 1)) == Character.toLowerCase(right.charAt(column - 1));
                int replaced = previous[column - 1] + (same ? 0 : 1);
                current[column] = Math.min(replaced, Math.min(previous[column], current[column - 1]) + 1);
            }
            int[] swapped = previous;
            previous = current;
            current = swapped;
        }
        return previous[right.length()];
    }
}
