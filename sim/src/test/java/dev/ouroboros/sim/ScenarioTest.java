package dev.ouroboros.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.sim.scenario.Scenario;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The model comes to what {@code ScenarioE2eTest} has of a real node, whatever takes how long. */
final class ScenarioTest {
    private static final int SEEDS = 10;

    @BeforeAll
    static void silence() {
        Sim.silence();
    }

    @ParameterizedTest
    @EnumSource(Scenario.class)
    void goesAsOnARealNode(Scenario scenario) throws Exception {
        for (long seed = 0; seed < SEEDS; seed++) {
            ModelStage stage = new ModelStage(scenario, seed);

            scenario.play(stage);
            stage.await(scenario.decisions().getLast());
            stage.awaitRest();

            assertThat(stage.told()).as("seed %d", seed).isEqualTo(scenario.decisions());
        }
    }
}
