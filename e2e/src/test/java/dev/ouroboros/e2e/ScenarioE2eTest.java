package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.sim.scenario.Scenario;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The simulator's scenarios on a real node: what {@code ScenarioTest} has of the model is what happens. */
@Tag("e2e")
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ScenarioE2eTest {
    private final OuroProgram ouro = new OuroProgram("e2e-scenario");
    private ControlPlane plane;

    @BeforeAll
    void up() throws Exception {
        ouro.down();
        ouro.up();
        plane = new ControlPlane(ouro);
    }

    @AfterAll
    void down() throws Exception {
        plane.printDecisions();
        plane.close();
        ouro.down();
    }

    @ParameterizedTest
    @EnumSource(Scenario.class)
    void goesAsInTheSimulator(Scenario scenario) throws Exception {
        SandboxStage stage = new SandboxStage(scenario, ouro, plane);

        scenario.play(stage);
        stage.await(scenario.decisions().getLast());
        stage.awaitRest();

        assertThat(stage.told()).isEqualTo(scenario.decisions());
    }
}
