package dev.ouroboros.core.restore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.core.evidence.Evidence;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

final class EtcdRestoreTest {
    /** More than any restore in the model takes. */
    private static final int MOST_STEPS = 60;

    private final EtcdRestore restore = new EtcdRestore(Duration.ofSeconds(30));

    @Test
    void replacesTheDataAndKeepsTheFormer() {
        ModelEtcdNode node = new ModelEtcdNode();
        assertThat(node.run(restore).phase()).isEqualTo(RestorePhase.DONE);
        assertThat(node.data).hasValue(ModelEtcdNode.RESTORED);
        assertThat(node.aside).hasValue(ModelEtcdNode.FORMER);
        assertThat(node.manifest && node.running).isTrue();
        assertThat(node.stale).isFalse();
    }

    @Test
    void worksOnANodeThatNeverHadData() {
        ModelEtcdNode node = new ModelEtcdNode();
        node.data = Optional.empty();
        node.running = false;
        assertThat(node.run(restore).phase()).isEqualTo(RestorePhase.DONE);
        assertThat(node.data).hasValue(ModelEtcdNode.RESTORED);
    }

    @Test
    void touchesNothingWhenTheToolFails() {
        ModelEtcdNode node = new ModelEtcdNode();
        node.toolFails = true;
        assertThat(node.run(restore).phase()).isEqualTo(RestorePhase.FAILED);
        assertThat(node.data).hasValue(ModelEtcdNode.FORMER);
        assertThat(node.manifest && node.running).isTrue();
        assertThat(node.kept).isFalse();
    }

    @Test
    void putsTheFormerDataBackWhenEtcdDoesNotStart() {
        ModelEtcdNode node = new ModelEtcdNode();
        node.restoredDataIsGood = false;
        assertThat(node.run(restore).phase()).isEqualTo(RestorePhase.FAILED);
        assertThat(node.data).hasValue(ModelEtcdNode.FORMER);
        assertThat(node.rejected).hasValue(ModelEtcdNode.RESTORED);
        assertThat(node.manifest && node.running).isTrue();
    }

    /** A kubelet waits for up to five minutes before it starts again what has crashed for long, whatever it would find now. */
    @Test
    void givesAnEtcdThatCrashedForLongTheTimeThatItsKubeletTakes() {
        RestoreState starting = new RestoreState(RestorePhase.STARTING, Instant.EPOCH, Instant.EPOCH, List.of());
        Evidence<Boolean> no = Evidence.known(false);
        Evidence<Boolean> yes = Evidence.known(true);
        RestoreSeen silent = new RestoreSeen(no, yes, yes, yes, yes, no, no, no, true, Optional.empty());

        assertThat(phaseAfter(Duration.ofSeconds(329), silent, starting)).isEqualTo(RestorePhase.STARTING);
        assertThat(phaseAfter(Duration.ofSeconds(330), silent, starting)).isEqualTo(RestorePhase.ROLLING_BACK);
    }

    private RestorePhase phaseAfter(Duration time, RestoreSeen seen, RestoreState state) {
        return restore.decide(seen, state, Instant.EPOCH.plus(time)).state().phase();
    }

    @Test
    void givesTheManifestBackWhenTheContainerDoesNotEnd() {
        ModelEtcdNode node = new ModelEtcdNode();
        node.containerNeverEnds = true;
        assertThat(node.run(restore).phase()).isEqualTo(RestorePhase.FAILED);
        assertThat(node.data).hasValue(ModelEtcdNode.FORMER);
        assertThat(node.manifest).isTrue();
    }

    @Test
    void renamesNothingWhileTheRuntimeIsSilent() {
        ModelEtcdNode node = new ModelEtcdNode();
        node.runtimeIsSilent = true;
        assertThat(node.run(restore).phase()).isEqualTo(RestorePhase.FAILED);
        assertThat(node.data).hasValue(ModelEtcdNode.FORMER);
    }

    @Test
    void goesOnAfterAPowerCutAtAnyStep() {
        everyCut(node -> {}, node -> {
            assertThat(node.journal.orElseThrow().phase()).isEqualTo(RestorePhase.DONE);
            assertThat(node.data).hasValue(ModelEtcdNode.RESTORED);
            assertThat(node.aside).hasValue(ModelEtcdNode.FORMER);
        });
    }

    @Test
    void rollsBackAfterAPowerCutAtAnyStep() {
        everyCut(node -> node.restoredDataIsGood = false, node -> {
            assertThat(node.journal.orElseThrow().phase()).isEqualTo(RestorePhase.FAILED);
            assertThat(node.data).hasValue(ModelEtcdNode.FORMER);
        });
    }

    /** One power cut before each step, and a second one before each step of what follows it. */
    private void everyCut(Consumer<ModelEtcdNode> world, Consumer<ModelEtcdNode> claim) {
        int cuts = 0;
        for (int first = 0; first < MOST_STEPS; first++) {
            for (int second = 0; second < MOST_STEPS; second++) {
                ModelEtcdNode node = new ModelEtcdNode();
                world.accept(node);
                cuts += runUntilCut(node, first) ? 1 : 0;
                cuts += runUntilCut(node, second) ? 1 : 0;
                if (!hasEnded(node)) {
                    node.run(restore);
                }
                assertThat(node.manifest).isTrue();
                claim.accept(node);
            }
        }
        assertThat(cuts).isGreaterThan(100);
    }

    private boolean runUntilCut(ModelEtcdNode node, int steps) {
        if (hasEnded(node)) {
            return false;
        }
        node.cutPowerAfter(steps);
        try {
            node.run(restore);
            return false;
        } catch (ModelEtcdNode.PowerCut e) {
            return true;
        } finally {
            node.powerReturns();
        }
    }

    private static boolean hasEnded(ModelEtcdNode node) {
        return node.journal.filter(state -> state.phase().isFinal()).isPresent();
    }
}
