package dev.ouroboros.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every defect that is put back is found: that a simulator finds nothing says something only when it would have. */
final class DefectTest {
    private static final long MOST_SEEDS = 400;

    @BeforeAll
    static void silence() {
        Sim.silence();
    }

    @ParameterizedTest
    @EnumSource(Defect.class)
    void isFound(Defect defect) {
        for (long seed = 0; seed < MOST_SEEDS; seed++) {
            Run.Outcome outcome = Run.of(seed, defect);
            if (outcome.violation().isPresent()) {
                assertThat(outcome.rule())
                        .as("%s, found by seed %d", defect.sentence(), seed)
                        .isPresent();
                return;
            }
        }
        assertThat(MOST_SEEDS).as("%s: not found", defect.sentence()).isZero();
    }
}
