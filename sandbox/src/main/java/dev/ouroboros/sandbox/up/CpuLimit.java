package dev.ouroboros.sandbox.up;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;

/**
 * How much processor time a sandbox may take.
 *
 * @param milliCpus in thousandths of a processor; empty for all that there is
 */
public record CpuLimit(Optional<Integer> milliCpus) {
    private static final String EXPECTED = "a number of processors of at least 0.01, as in 0.3, or 0 for no limit";
    private static final int SMALLEST = 10;
    private static final int LARGEST = 1_000_000;
    private static final int MILLIS = 1000;

    /**
     * Reads it.
     *
     * @param text a number of processors as in {@code 0.3}; 0 for all that there is
     * @throws IllegalArgumentException saying what is expected
     */
    public static CpuLimit parse(String text) {
        int milli;
        try {
            milli = new BigDecimal(text)
                    .multiply(BigDecimal.valueOf(MILLIS))
                    .setScale(0, RoundingMode.HALF_UP)
                    .intValueExact();
        } catch (ArithmeticException | NumberFormatException e) {
            throw new IllegalArgumentException(EXPECTED, e);
        }
        if (milli != 0 && (milli < SMALLEST || milli > LARGEST)) {
            throw new IllegalArgumentException(EXPECTED);
        }
        return new CpuLimit(milli == 0 ? Optional.empty() : Optional.of(milli));
    }

    String describe() {
        return milliCpus
                .map(milli -> "the time of "
                        + BigDecimal.valueOf(milli, 3).stripTrailingZeros().toPlainString() + " processors")
                .orElse("all processors");
    }
}
