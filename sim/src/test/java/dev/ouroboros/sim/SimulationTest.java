package dev.ouroboros.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The keeper as it is, on modelled machines. {@code sim/run --seed S --trace} shows a run. */
final class SimulationTest {
    /** So many that each fault hits somebody, with those of several machines; {@code sim/run} does more. */
    private static final long SEEDS = Boolean.getBoolean("ouroboros.long") ? 6_000 : 160;

    private static final long SEEDS_OF_SEVERAL = Boolean.getBoolean("ouroboros.long") ? 600 : 12;

    @BeforeAll
    static void silence() {
        Sim.silence();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 17, 34, 4711, 1_000_000_007L})
    void isTheSameRunAgain(long seed) {
        Run.Outcome first = Run.of(seed, Distortion.NONE);
        Run.Outcome second = Run.of(seed, Distortion.NONE);

        assertThat(second.lines()).isEqualTo(first.lines());
        assertThat(second).isEqualTo(first);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 31})
    void isTheSameRunAgainWithSeveralMachines(long seed) {
        assertThat(Run.of(seed, Distortion.NONE, Run.Size.SEVERAL))
                .isEqualTo(Run.of(seed, Distortion.NONE, Run.Size.SEVERAL));
    }

    @Test
    void differsFromSeedToSeed() {
        assertThat(Run.of(1, Distortion.NONE).digest())
                .isNotEqualTo(Run.of(2, Distortion.NONE).digest());
    }

    @Test
    void breaksNoRuleAndComesToRestWhateverHappens() throws InterruptedException {
        Set<String> covered = new TreeSet<>(covered(SEEDS, seed -> Run.of(seed, Distortion.NONE)));
        covered.addAll(covered(SEEDS_OF_SEVERAL, seed -> Run.of(seed, Distortion.NONE, Run.Size.SEVERAL)));

        assertThat(covered).as("faults that hit").contains(faults());
    }

    private static Set<String> covered(long seeds, LongFunction<Run.Outcome> run) throws InterruptedException {
        Campaign.Result result = new Campaign(run, Runtime.getRuntime().availableProcessors()).of(0, seeds, _ -> {});
        assertThat(result.violations())
                .as(result.violations().stream().map(SimulationTest::shown).collect(Collectors.joining("\n\n")))
                .isEmpty();
        return result.counts().keySet();
    }

    private static String[] faults() {
        return Arrays.stream(Fault.values())
                .map(fault -> "fault: " + fault.name())
                .toArray(String[]::new);
    }

    private static String shown(Run.Outcome outcome) {
        return "seed " + outcome.seed() + ": " + outcome.violation().orElse("") + "\n"
                + String.join("\n", outcome.lines());
    }
}
