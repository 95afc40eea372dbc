package dev.ouroboros.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** As {@link DefectTest}, of several machines; a second or two a seed, so not in CI. */
@Tag("long")
final class ClusterDefectTest {
    private static final long MOST_SEEDS = 100;

    @BeforeAll
    static void silence() {
        Sim.silence();
    }

    @ParameterizedTest
    @EnumSource(ClusterDefect.class)
    void isFound(ClusterDefect defect) {
        for (long seed = 0; seed < MOST_SEEDS; seed++) {
            Run.Outcome outcome = Run.of(seed, defect, Run.Size.SEVERAL);
            if (outcome.violation().isPresent()) {
                assertThat(outcome.rule())
                        .as("%s, found by seed %d", defect.sentence(), seed)
                        .isPresent();
                System.out.println("| " + defect.sentence() + " | " + (seed + 1) + " | "
                        + outcome.rule().orElseThrow());
                return;
            }
        }
        assertThat(MOST_SEEDS).as("%s: not found", defect.sentence()).isZero();
    }
}
