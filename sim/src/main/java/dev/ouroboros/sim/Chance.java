package dev.ouroboros.sim;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** The one source of randomness: each user splits off its own generator, so that one more draw by one does not change another's. */
final class Chance {
    private final SplittableRandom random;

    private Chance(SplittableRandom random) {
        this.random = random;
    }

    static Chance of(long seed) {
        return new Chance(new SplittableRandom(seed));
    }

    Chance split() {
        return new Chance(random.split());
    }

    SplittableRandom random() {
        return random;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    /** True with a probability of {@code often} percent. */
    boolean of100(int often) {
        return often > 0 && random.nextInt(100) < often;
    }

    Duration millis(int least, int most) {
        return Duration.ofMillis(random.nextInt(least, most + 1));
    }

    Duration seconds(int least, int most) {
        return millis(least * 1000, most * 1000);
    }

    <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }
}
