package dev.ouroboros.bootstrap.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.bootstrap.decide.PivotDecision.Planned;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.start.Phase;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a pivot does with an API server whose DaemonSet asks for another one by now. */
final class PivotFormerTemplateTest {
    private final ModelPivot model = new ModelPivot(ModelPivot.USUAL);

    /** Found by the simulator (seed 77322): etcd was restored while a bad template was asked for, and a good one came later. */
    @Test
    void replacesAnApiServerOfAFormerTemplateThatDoesNotBecomeReady() {
        for (int seed = 0; seed < 50; seed++) {
            ModelPivotNode node = new ModelPivotNode(new Random(seed), seed % 20);
            node.principalFails = true;
            node.principalOutdated = true;

            assertThat(model.run(node, PivotState.initial(node.now)).phase())
                    .as("seed %d", seed)
                    .isEqualTo(Phase.DONE);
        }
    }

    @Test
    void replacesAnApiServerOfAFormerTemplateThatCannotReadSecrets() {
        ModelPivotNode node = new ModelPivotNode(new Random(1), 0);
        node.blind.add(Server.PRINCIPAL);
        node.principalOutdated = true;

        assertThat(model.run(node, PivotState.initial(node.now)).phase()).isEqualTo(Phase.DONE);
    }

    /** What others do not tell, and one probe that failed while the kubelet's have not, is no reason to delete what serves. */
    @Test
    void leavesAnApiServerOfAFormerTemplateThatServes() {
        for (int seed = 0; seed < 50; seed++) {
            ModelPivotNode node = new ModelPivotNode(new Random(seed), seed % 20);
            node.principalOutdated = true;
            node.othersReady = false;
            node.principalProbesFailPercent = seed % 30;

            PivotState state = model.untilWellPastTheTimeToStart(node);

            assertThat(state.phase()).as("seed %d", seed).isEqualTo(Phase.SELF_HOSTING);
            assertThat(node.principalOutdated).as("seed %d", seed).isTrue();
        }
    }

    @Test
    void leavesAnApiServerOfAFormerTemplateWithoutAnotherOneThatAnswers() {
        ModelPivotNode node = new ModelPivotNode(new Random(3), 0);
        PivotState state = model.untilSelfHosting(node);
        node.principalOutdated = true;
        Instant late = node.now.plusSeconds(61);
        Pivot pivot = model.pivot(node);
        assertThat(pivot.decide(node.observe(), state, late).actions())
                .extracting(Planned::action)
                .contains(new PivotAction.DeleteOutdatedApiServer());

        node.understudySince = Optional.empty();

        assertThat(pivot.decide(node.observe(), state, late).actions())
                .extracting(Planned::action)
                .doesNotContain(new PivotAction.DeleteOutdatedApiServer());
    }

    @Test
    void leavesAnApiServerOfAFormerTemplateTheTimeToStart() {
        ModelPivotNode node = new ModelPivotNode(new Random(1), 0);
        node.principalFails = true;
        node.principalOutdated = true;
        PivotState state = model.untilSelfHosting(node);
        state = model.during(50, node, state);
        assertThat(node.principalOutdated).isTrue();
        node.principalFails = false;

        assertThat(model.run(node, state).phase()).isEqualTo(Phase.DONE);
        assertThat(node.principalOutdated).isTrue();
    }

    /** It ends because its port is taken: it may be as good as the one that would come after it. */
    @Test
    void withOnePortForBothAnApiServerOfAFormerTemplateIsLeftOnceItHasBegun() {
        ModelPivotNode node = new ModelPivotNode(new Random(14), 0);
        node.sharedPort = true;
        node.principalOutdated = true;
        node.othersReady = false;
        PivotState state = model.untilWellPastTheTimeToStart(node);
        assertThat(node.principalOutdated).isTrue();
        node.othersReady = true;

        assertThat(model.run(node, state).phase()).isEqualTo(Phase.DONE);
    }

    @Test
    void withOnePortForBothAnApiServerOfAFormerTemplateThatNeverBeginsIsReplaced() {
        ModelPivotNode node = new ModelPivotNode(new Random(14), 0);
        node.sharedPort = true;
        node.principalFails = true;
        node.principalOutdated = true;

        assertThat(model.run(node, PivotState.initial(node.now)).phase()).isEqualTo(Phase.DONE);
        assertThat(node.principalOutdated).isFalse();
    }
}
